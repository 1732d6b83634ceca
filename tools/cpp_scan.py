"""Just enough of a C++ reader for the house rules: no types, no templates.

Works on text whose comments and literals are blanked out, so that braces and
words mean what they seem to mean and line numbers stay right.
"""

import dataclasses
import re

_TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<tag>[^(\s]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'",  # not the ' of 1'000
    re.DOTALL)


def blank(text, keep_literals=False):
    """`text` with comments, and literals unless kept, turned into spaces."""

    def spaces(match):
        token = match.group()
        if keep_literals and not token.startswith(("//", "/*")):
            return token
        return re.sub(r"[^\n]", " ", token)

    return _TOKEN.sub(spaces, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


@dataclasses.dataclass
class Block:
    """A pair of braces and the words before it."""
    head: str
    start: int  # offset of "{"
    end: int  # offset after "}"
    outer: str  # kind of the enclosing block, "" at file level
    kind: str  # "scope", "class", "function", "other"


_CLASS = re.compile(r"\b(?:class|struct|union)\b(?!.*\()", re.DOTALL)
_SCOPE = re.compile(r"\bnamespace\b|\bextern\s*$|\bextern\s+\"")


def _kind(head, outer):
    if outer in ("function", "other"):
        return "other"
    if _SCOPE.search(head):
        return "scope"
    if re.search(r"\benum\b", head):
        return "other"
    if _CLASS.search(head):
        return "class"
    if head.endswith(("=", ",", "(")) or (head and "(" not in head):
        return "other"
    return "function"


def blocks(code):
    """Every pair of braces in blanked `code`, outermost first."""
    found, stack, head_start = [], [], 0
    code = re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
                  lambda m: re.sub(r"[^\n]", " ", m.group()), code)
    for match in re.finditer(r"[{};]|\b(?:public|private|protected)\s*:", code):
        token = match.group()
        if token == "{":
            outer = stack[-1].kind if stack else ""
            head = code[head_start:match.start()].strip()
            block = Block(head, match.start(), len(code), outer,
                          _kind(head, outer))
            stack.append(block)
            found.append(block)
        elif token == "}" and stack:
            stack.pop().end = match.end()
        head_start = match.end()
    return found


def functions(code):
    """The function bodies of blanked `code`."""
    return [block for block in blocks(code) if block.kind == "function"]


@dataclasses.dataclass
class Class:
    name: str
    start: int
    members: list  # names of the non-static data members
    bools: list  # those declared bool
    methods: list  # public ones, without constructors, operators, accessors


_MEMBER = re.compile(r"\b(\w+_)\s*(?:\[[^\]]*\]\s*)*(?:=|\{|,|:|$)")
_METHOD = re.compile(r"(~?\w+)\s*\(")


def _statements(body):
    """Splits a class body; the contents of inner braces are dropped."""
    depth, current = 0, ""
    for char in body:
        if char == "{":
            depth += 1
            if depth == 1:
                current += "{"
        elif char == "}":
            depth -= 1
            # The end of a function body ends the statement, an initializer
            # does not: its ";" follows.
            if depth == 0 and "(" in current.split("{")[0]:
                yield current
                current = ""
        elif depth == 0:
            if char == ";":
                yield current
                current = ""
            else:
                current += char
    yield current


def _read_class(name, is_class, start, body):
    result = Class(name, start, [], [], [])
    public = not is_class
    for statement in _statements(body):
        for access in re.findall(r"\b(public|private|protected)\s*:(?!:)",
                                 statement):
            public = access == "public"
        text = re.sub(r"\b(?:public|private|protected)\s*:(?!:)", "",
                      statement).strip()
        if not text or re.match(
                r"(?:using|typedef|friend|static|enum|struct|class|union|"
                r"static_assert)\b", text):
            continue
        declared = text.split("=")[0].split("{")[0].rstrip()
        if re.search(r"\w_(?:\s*\[[^\]]*\])*(?:\s*:\s*\d+)?$", declared):
            names = _MEMBER.findall(re.sub(r"<[^;]*>", "", text))
            result.members += names
            if re.match(r"(?:mutable\s+)?bool\b", text):
                result.bools += names
            continue
        text = re.sub(r"^template\s*<[^;{]*?>\s*(?=[\w:])", "", text)
        method = _METHOD.search(text)
        # Only accessors are named like variables: snd_nxt().
        if (method and public and "operator" not in text
                and method.group(1).lstrip("~") != name
                and method.group(1)[0].isupper()):
            result.methods.append(method.group(1))
    return result


def classes(code):
    """The classes and structs defined in blanked `code`."""
    found = []
    for block in blocks(code):
        if block.kind != "class":
            continue
        name = re.search(
            r"\b(class|struct|union)\b(?:\s*\[\[.*?\]\])?(?:\s+alignas\b\S*)?"
            r"\s*([\w:]*)(?:<[^{]*>)?\s*(?:final\b)?\s*(?::[^:].*)?$",
            block.head, re.DOTALL)
        if name:
            found.append(_read_class(
                name.group(2), name.group(1) == "class", block.start,
                code[block.start + 1:block.end - 1]))
    return found
