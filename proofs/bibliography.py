"""The entries of `references.bib`: read without any library, named in words."""

import re
import unicodedata
from pathlib import Path

REFERENCES = Path(__file__).with_name("references.bib")
ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303",
           "=": "\u0304", ".": "\u0307", "c": "\u0327", "v": "\u030c", "u": "\u0306",
           "H": "\u030b", "r": "\u030a", "k": "\u0328"}
LETTERS = {"ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ",
           "aa": "å", "AA": "Å", "i": "ı", "&": "&", "%": "%", "_": "_", "#": "#", "$": "$"}


def entries(text: str) -> dict[str, dict[str, str]]:
    """Key -> fields in lower case, values as plain Unicode text. Broken entries are left out."""
    found: dict[str, dict[str, str]] = {}
    for match in re.finditer(r"@(\w+)\s*\{\s*([^,\s{}]+)\s*,", text):
        if match.group(1).lower() not in ("comment", "string", "preamble"):
            body = _balanced(text, match.end())
            found[match.group(2)] = {"kind": match.group(1).lower(), **_fields(body)}
    return found


def references(path: Path = REFERENCES) -> dict[str, dict[str, str]]:
    """The entries of a file; none where there is no file."""
    return entries(path.read_text(encoding="utf-8")) if path.is_file() else {}


def sentence(entry: dict[str, str]) -> str:
    """Authors, title, place, year: one line for a list of references."""
    parts = [_names(entry.get("author", "")), entry.get("title", "")]
    place = (entry.get("journal") or entry.get("booktitle") or entry.get("publisher")
             or entry.get("howpublished") or "")
    if "volume" in entry and place:
        place += f" {entry['volume']}"
    if "eprint" in entry:
        place = ", ".join(filter(None, (place, f"arXiv {entry['eprint']}")))
    parts.append(", ".join(filter(None, (place, entry.get("pages", "").replace("--", "–"),
                                         entry.get("year", "")))))
    parts.append(entry.get("note", ""))
    return " ".join(p.rstrip(".") + "." for p in parts if p)


def _names(authors: str) -> str:
    people = [p.strip() for p in re.split(r"\s+and\s+", authors) if p.strip()]
    turned = [" ".join(reversed([x.strip() for x in p.split(",", 1)])) for p in people]
    turned = ["et al." if p == "others" else p for p in turned]
    if len(turned) > 2 and turned[-1] != "et al.":
        return ", ".join(turned[:-1]) + " and " + turned[-1]
    return " and ".join(turned).replace(" and et al.", " et al.")


def _balanced(text: str, start: int) -> str:
    depth = 1
    for k in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth == 0:
            return text[start:k]
    return text[start:]


def _fields(body: str) -> dict[str, str]:
    found, at = {}, 0
    pattern = re.compile(r"\s*,?\s*(\w+)\s*=\s*")
    while match := pattern.match(body, at):
        at = match.end()
        if body[at:at + 1] == "{":
            value = _balanced(body, at + 1)
            at += len(value) + 2
        elif body[at:at + 1] == '"':
            value = body[at + 1:].split('"', 1)[0]
            at += len(value) + 2
        else:
            value = re.split(r"[,\s]", body[at:], maxsplit=1)[0]
            at += len(value)
        found[match.group(1).lower()] = plain(value)
    return found


def plain(value: str) -> str:
    r"""BibTeX text as Unicode: `{\"o}` is ö, braces go, spaces are one."""
    def accent(match: re.Match) -> str:
        letter = match.group(2).replace("ı", "i")
        return unicodedata.normalize("NFC", letter + ACCENTS[match.group(1)])

    value = re.sub(r"\\(ss|ae|AE|oe|aa|AA|[oOlLi&%_#$])(?![A-Za-z])\s*(?:\{\})?",
                   lambda m: LETTERS[m.group(1)], value)
    value = re.sub(r"\\(['`^\"~=.])\s*\{?\s*(\w)\}?", accent, value)
    value = re.sub(r"\\([cvuHrk])\s*\{\s*(\w)\s*\}", accent, value)
    return re.sub(r"\s+", " ", re.sub(r"[{}]", "", value).replace("~", " ")).strip()
