"""Reads tools/mutants.toml, and says what is wrong with it."""

import dataclasses
import os
import tomllib

LIST = "tools/mutants.toml"


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    breaks: str
    says: str
    file: str
    find: str
    replace: str
    tests: list


@dataclasses.dataclass(frozen=True)
class Waiting:
    name: str
    breaks: str
    says: str
    part: str


def is_test(root, label):
    """Whether there is a source or a rule of that name; Bazel says the rest."""
    package, _, name = label.removeprefix("//").partition(":")
    build = os.path.join(root, package, "BUILD")
    if not (label.startswith("//") and name and os.path.isfile(build)):
        return False
    with open(build, encoding="utf-8") as file:
        rules = file.read()
    return (f'"{name}"' in rules
            # Made by fuzz_target() of another name.
            or f'"{name.removesuffix("_corpus_test")}"' in rules
            or any(os.path.isfile(os.path.join(root, package, name + ending))
                   for ending in (".cc", ".py", ".sh")))


def check(mutant, root):
    """What keeps the mutant from being applied."""
    path = os.path.join(root, mutant.file)
    if not os.path.isfile(path):
        return [f"{mutant.name}: there is no {mutant.file}"]
    with open(path, encoding="utf-8") as file:
        count = file.read().count(mutant.find)
    problems = []
    if count != 1:
        problems.append(f"{mutant.name}: what to find stands {count} times in "
                        f"{mutant.file}, not once")
    if mutant.find == mutant.replace:
        problems.append(f"{mutant.name}: changes nothing")
    if not mutant.tests:
        problems.append(f"{mutant.name}: names no test")
    problems += [f"{mutant.name}: there is no test {test}; it is written like "
                 "//folder:name_test" for test in mutant.tests
                 if not is_test(root, test)]
    return problems


def wrong_keys(entry, kind):
    """Those that are missing, unknown, or of another type than they should."""
    types = {field.name: field.type for field in dataclasses.fields(kind)}
    odd = set(entry) ^ set(types)
    odd.update(key for key in set(entry) & set(types)
               if not isinstance(entry[key], types[key]))
    return sorted(odd)


def parse(text):
    """-> mutants, waiting, problems"""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return [], [], [f"{LIST}: {error}"]
    kinds = {"mutant": Mutant, "waiting": Waiting}
    problems = [f"{LIST}: unknown table {key}" for key in document
                if key not in kinds]
    found = {}
    for table, kind in kinds.items():
        found[table] = []
        for entry in document.get(table, []):
            odd = wrong_keys(entry, kind)
            if not odd:
                found[table].append(kind(**entry))
                continue
            name = entry.get("name", f"a {table} without a name")
            problems.append(f"{LIST}: {name}: missing, unknown or of a wrong "
                            f"type: {', '.join(odd)}")
    names = [entry.name for entries in found.values() for entry in entries]
    problems += [f"{LIST}: {name} stands there twice"
                 for name in sorted(set(names)) if names.count(name) > 1]
    return found["mutant"], found["waiting"], problems


def read(root):
    """The list of the tree -> mutants, waiting, problems"""
    with open(os.path.join(root, LIST), encoding="utf-8") as file:
        mutants, waiting, problems = parse(file.read())
    for mutant in mutants:
        problems += check(mutant, root)
    return mutants, waiting, problems
