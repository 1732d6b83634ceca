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
    """Whether there is a source of that name; Bazel says the rest."""
    package, _, name = label.removeprefix("//").partition(":")
    return os.path.isfile(os.path.join(root, package, name + ".cc"))


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
    problems += [f"{mutant.name}: there is no {test}" for test in mutant.tests
                 if not is_test(root, test)]
    return problems


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
        fields = {field.name for field in dataclasses.fields(kind)}
        found[table] = []
        for entry in document.get(table, []):
            if set(entry) == fields:
                found[table].append(kind(**entry))
                continue
            name = entry.get("name", f"a {table} without a name")
            odd = ", ".join(sorted(set(entry) ^ fields))
            problems.append(f"{LIST}: {name}: missing or unknown: {odd}")
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
