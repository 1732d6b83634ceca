"""The citation tags of code and tests, read in one place.

    // [RFC 9293 3.10.7.4 MUST-8] one line in our own words
    // [RFC 8985 7.2, 7.3]        one RFC, two sections
    // [RFC 9293 3.8.6.1 SHLD-29, SHLD-30]
    // [RFC 9293 3.6.1, RFC 2525 2.17] [req A-33] [fault W04]
    // [RFC 1122 3.2.1.8(c)] [RFC 7323 5.3 R1] [RFC 792] has no section numbers
"""

import dataclasses
import re

# Anything in brackets that starts like a tag, whatever its case.
_TAG = re.compile(r"\[((?:rfc|req|fault)(?= ?[-\w])(?!\w*[a-z_])[^\]\n]*)(\]?)",
                  re.IGNORECASE)

_SECTION = r"(?:[0-9]+|[A-Z])(?:\.[0-9]+)*[a-z]?(?:\([a-z0-9]+\))*"
_LABEL = r"(?:(?:MUST|SHLD|MAY|REC)(?:-[0-9]+)?|R[1-9])"
_RFC = re.compile(
    rf"(?:RFC ([1-9][0-9]*) )?({_SECTION})((?: {_LABEL})*)|({_LABEL})")
_REQ = re.compile(r"(?:req )?([A-Z]-[0-9]{2}[a-z]?)")
_WHOLE = re.compile(r"RFC (768|792)")
_FAULT = re.compile(r"(?:fault )?([A-Z][0-9]{2}[a-z]?)")


@dataclasses.dataclass(frozen=True, order=True)
class Citation:
    kind: str  # "RFC", "req" or "fault"
    number: int  # of the RFC, else 0
    place: str  # section, or the id of a requirement or fault
    label: str = ""  # "MUST-8", "SHLD", ... or nothing

    def __str__(self):
        words = [self.kind, str(self.number or ""), self.place, self.label]
        return " ".join(word for word in words if word)


def parse_tag(text):
    """The citations between one pair of brackets, or None if malformed."""
    found, kind, number, place = [], "", 0, ""
    for item in text.split(", "):
        first = item.split(" ")[0]
        if first in ("RFC", "req", "fault"):
            kind, number, place = first, 0, ""
        whole = _WHOLE.fullmatch(item)
        if whole:
            found.append(Citation("RFC", int(whole.group(1)), ""))
            continue
        grammar = {"RFC": _RFC, "req": _REQ, "fault": _FAULT}.get(kind)
        match = grammar.fullmatch(item) if grammar else None
        if match is None:
            return None
        if kind != "RFC":
            found.append(Citation(kind, 0, match.group(1)))
            continue
        number = int(match.group(1) or number)
        place = match.group(2) or place
        if not number or not place:
            return None
        for label in (match.group(3) or match.group(4) or "").split() or [""]:
            found.append(Citation(kind, number, place, label))
    return found


def find_tags(text):
    """Yields (line, tag text, citations or None) for every tag in `text`."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _TAG.finditer(line):
            whole = match.group(2) == "]"
            yield (number, match.group(1),
                   parse_tag(match.group(1)) if whole else None)
