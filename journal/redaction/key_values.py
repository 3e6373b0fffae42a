"""Secrets that follow a word for them: ``password: …``, ``--token …``, ``비밀번호는 …``.

The word stays and the value goes, so that a reader still sees what was said.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Final

from . import guards, judge, vocabulary
from .key_words import ANCHOR, KEY_WORD, Key, read_key
from .lazy import Pattern
from .spans import Span
from .values import Value, join_literals, read_line, read_value, whole_end

_ASSIGN: Final = Pattern(
    r"""(?x)
    (?P<close> (?:\\{0,7}["'`*_]{1,2}|\\?\))? (?:\[\w{0,6}\]|\])? (?:\\{0,7}["'`])? )
    (?P<left> [ \t]{0,24} )
    (?P<op> := | \?\?= | \|\|= | => | [?!]?:(?!:) | === | == | !==? | (?<![+\-*/%])=(?!\s*>)
      | \+= | ： | ＝ | → | -> (?=\s*["'])
      | %3[dDaA] | ￫ )
    (?P<bold> \*{0,2} )
    (?P<right> [ \t]{0,24} )
    """
)
_TYPE: Final = Pattern(
    r"(?:[A-Za-z_][\w.:\[\]|<>?*&]{0,40}(?:[ ]\|[ ]\w{1,20}){0,3}|'static str|"
    r"&'?\w* ?str)[ \t]{0,4}=(?![=>])[ \t]{0,4}"
)
_ARGUMENT: Final = Pattern(
    r"(?:\\{0,7}[\"'`])?[ \t]{0,4}[,(][ \t]{0,4}(?=[rbfuRBFU]{0,2}\\{0,7}[\"'`])"
)
_ELEMENT: Final = Pattern(
    r"(?:[ \t][^<>\n]{0,120})?>[ \t]{0,8}(?:<!\[CDATA\[)?([^<\]]{1,4096}?)"
    r"[ \t]{0,8}(?:\]\]>[ \t]{0,8})?</"
)
_PLIST: Final = Pattern(r"</key>\s{0,40}<string>([^<]{1,4096})</string>")
_NEWLINE: Final = r"(?:\r?\n|(?:\\{1,7}r)?\\{1,7}n)"
_NAMED: Final = Pattern(
    rf"(?:\\{{0,7}}[\"'])?[ \t]{{0,8}},?(?:[\s>]|{_NEWLINE}){{0,60}}(?:\\{{0,7}}[\"'])?"
    r"(?:value|Value|VALUE|default)(?:\\{0,7}[\"'])?[ \t]{0,8}[:=][ \t]{0,8}"
)
_CELL: Final = Pattern(
    r"[`*_]{0,2}[ \t]{0,40}\|[ \t]{0,40}`?([^|\s`]{4,200})`?[ \t]{0,40}(?:\||$)", re.MULTILINE
)
_BLOCK_SCALAR: Final = Pattern(rf"[|>][+-]?\d?[ \t]*{_NEWLINE}")
_ESCAPED_BLOCK: Final = Pattern(rf"(?:[ \t]+[^\n]*?(?:{_NEWLINE}|(?=\\{{0,7}}[\"'])|$))+")
_NEXT_LINE: Final = Pattern(
    rf"(?:{_NEWLINE}[ \t>]{{0,12}}){{1,2}}(?:```\w{{0,12}}?{_NEWLINE}[ \t>]{{0,12}})?"
    rf"`?([^\s`\"'\\]{{4,200}})`?[ \t]{{0,8}}(?={_NEWLINE}|\Z|\\{{0,7}}[\"'])"
)
_QUOTED_NEXT: Final = Pattern(
    r"\(?[ \t]*\(?(?=[rbfu]{0,2}\\{0,7}[\"'`])(?!```)|\\?\r?\n[ \t]*(?=\\{0,7}(?:\"[^\"\n]|"
    r"'[^'\n]))"
)
_FIRST_OF_LIST: Final = Pattern(r"\[\s{0,40}(?=[\"'])")
_COMMENT: Final = Pattern(r"[ \t]+(?:#|//|;|--)|[ \t][\w.-]{1,30}[=:]|[,;]\s*$")
_LINE_START: Final = Pattern(
    r"(?:^|\n|\\n)[ \t]{0,80}(?:[-*+>#]|\d{1,3}[.)])?[ \t]{0,8}(?:export|set|declare -x|ENV|ARG|"
    r"env:)?[ \t]{0,4}[\"'*_`]{0,2}\Z"
)
_SHELL_BEFORE: Final = Pattern(r"(?:^|[\s;&|(\"'`?]|\\n|-e ?|-D|--env[ =]|env:)\Z")
_OPTION_VALUE: Final = Pattern(
    r"(?:\\{0,7}[\"'`])?(?:[ \t]{1,8}|,[ \t]{0,4}(?=\\{0,7}[\"']))(?![-|&;<>])"
)
_OPTION_END: Final = Pattern(r"[\"'`]?[ \t]*(?:$|\n|\\|-|\||&|;|>|\))")
_CONNECTIVE: Final = Pattern(
    r"(?:\b(?:is|was|are|to|be|as|becomes|equals|with|using|called|it's|value|reads|says|of)\b|"
    r"['’]s\b|[:=→]|->|—|–)[ \t]{0,4}"
    r"(?:(?:now|still|just|currently|simply|set to|"
    r"changed to)[ \t]{1,4})?[:=]?[ \t]{0,4}[\"'“‘`*(<]{0,3}"
)
_MY_WORD: Final = Pattern(
    r"(?:is|=|was)[ \t]+[\"'`*]{0,2}(?!(?:\w+ed|\w+ing|\w+ly|not|too|very|in|on|at|the|a|an|so|"
    r"my|your|our|wrong|weak|strong|correct|incorrect|invalid|empty|missing|secret|secure|here|"
    r"there|still|stored|kept|null|none)\b)([a-z]{4,40})[\"'`*]{0,2}[ \t]*(?:[.,!;]|$|\n)"
)
_MINE: Final = Pattern(
    r"\b(?:my|our|his|her|their|root|admin|wifi|wi-fi|login)\s(?:\w{1,12}\s)?\Z", re.IGNORECASE
)
_PAIR: Final = Pattern(
    r"[ \t]*(?:is|are|[:=])?[ \t]*([^\s/|:,=(\"'`]{2,64}[ \t]*[/|:,][ \t]*([^\s=(\"'`]{3,128}))"
)
_JOSA: Final = Pattern(
    r"[ \t]?(?:값|번호|문자열)?(?:이랑|으로|에는|은|는|이|가|을|를|로|도|에|의|만|란|"
    r"이란)?[ \t]{0,4}(?:\([^)\n]{0,24}\))?[ \t]{0,4}"
    r"(?:값[은는]?[ \t]{0,4})?(?P<op>[:=：＝→]|=>|->|is\b)?[ \t]{0,4}(?:지금|현재|그냥|바로|임시로)?[ \t]{0,4}"
)
_KOREAN_GAP: Final = Pattern(r"[\u3131-\u318e\uac00-\ud7a3 \t,:=()→'\"“”‘’`*~]{0,32}")
_KOREAN_WORD: Final = Pattern(r"[!-~]{2,128}")
_COPULA: Final = Pattern(
    r"[\"'`”’*]{0,2}[ \t]?(?:이야|야|입니다|이에요|예요|에요|이다|다\b|임|이고|고|인데|이라고|라고|라는|로|으로|이니|니까|이라서|라서|라|"
    r"이지|지)"
)
_SENTENCE_END: Final = Pattern(r"[.;!?。]\s|\n|\\n")
_WORD_AFTER: Final = Pattern(r"[^\s\"'`“”‘’<>]{4,128}")
_STRIP: Final = ",;:.)]}>\"'`*_?”’"


def find_key_values(text: str, lowered: str) -> Iterator[Span]:
    """The values of all keys in *text*; *lowered* is the same text in small letters."""
    done = 0
    for anchor in ANCHOR.finditer(lowered):
        if anchor.start() < done:
            continue
        match = KEY_WORD.match(lowered, anchor.start())
        key = read_key(text, match) if match else None
        if key is None:
            continue
        for start, end in _values_of(text, key):
            done = max(done, end)
            yield Span(start, end, key.strength if key.strength != "weak" else "token")


def _values_of(text: str, key: Key) -> Iterator[tuple[int, int]]:
    if key.korean:
        yield from _korean(text, key)
        return
    josa = text[key.end : key.end + 1]
    if "가" <= josa <= "힣":
        yield from _korean(text, key)
        return
    if key.is_option and (found := _option(text, key)):
        yield found
        return
    assign = _ASSIGN.match(text, key.end)
    if assign:
        found = _assigned(text, key, assign)
        if found:
            yield found
            return
        if not assign["right"] or key.needs_sign or "=" in assign["op"]:
            return
    elif found := _enclosed(text, key):
        yield found
        return
    if key.strength != "weak" and not key.needs_sign and (found := _in_prose(text, key)):
        yield found


def _assigned(text: str, key: Key, assign: re.Match[str]) -> tuple[int, int] | None:
    at = assign.end()
    op = assign["op"]
    if block := _BLOCK_SCALAR.match(text, at):
        return _block_scalar(text, key, block.end())
    if following := _QUOTED_NEXT.match(text, at):
        at = following.end()
    elif text[at : at + 1] in ("\r", "\n", "\\"):
        return _on_next_line(text, key, at) if op in ":：" else None
    before = text[max(0, key.start - 96) : key.start]
    if not assign["close"] and _closes_string(text, at, before):
        return None
    if first := _FIRST_OF_LIST.match(text, at):
        at = first.end()
    if ":" in op and (typed := _TYPE.match(text, at)):
        at = typed.end()
    if key.needs_sign and assign["left"] and op == ":":
        return None  # reST: "pass :data:`x`"
    value = read_value(text, at, in_url=before[-1:] in ("?", "&") and "=" in op)
    if value is None:
        return None
    compared = op in ("==", "===", "!=", "!==")
    tight = not assign["left"] and not assign["right"] and "=" in op and not assign["close"]
    literal = (
        tight
        and bool(_SHELL_BEFORE.search(before))
        and (key.is_constant or before[-1:] in ("?", "&"))
    )
    if compared and not value.quoted:
        return None
    at_start = bool(_LINE_START.search(before)) or not before
    if not judge.is_secret(value, key, literal=literal, compared=compared):
        if at_start and op == ":" and key.strength == "password" and not value.quoted:
            return _lone_word(text, value)
        return None
    if value.quoted:
        return value.start, join_literals(text, value)
    if at_start and not tight and key.strength != "token" and not before.endswith(('"', "'")):
        return value.start, _to_line_end(text, value)
    return value.start, whole_end(text, value)


def _closes_string(text: str, at: int, before: str) -> bool:
    """Whether the quote at *at* ends a literal that holds the key: ``input("Password: ")``."""
    quote = text[at : at + 1]
    if quote not in "\"'`" or not re.match(r"[\s,;:)\]}+.%]|$", text[at + 1 :][:1]):
        return False
    return before[before.rfind("\n") + 1 :].count(quote) % 2 == 1


def _lone_word(text: str, value: Value) -> tuple[int, int] | None:
    """``password: swordfish`` in YAML: a word that has its line to itself."""
    rest = read_line(text, value.end)
    if rest.strip() or not judge.is_plain_word(value.text):
        return None
    return value.start, value.end


def _to_line_end(text: str, value: Value) -> int:
    """The end of a passphrase that is written with blanks and without quotes."""
    rest = read_line(text, value.end)
    if stop := _COMMENT.search(rest):
        rest = rest[: stop.start()]
    if not rest.isascii() or "`" in rest or '"' in rest or "'" in rest:
        return value.end
    return value.end + len(rest.rstrip())


def _block_scalar(text: str, key: Key, at: int) -> tuple[int, int] | None:
    """The indented lines below ``password: |``; in escaped text, all that begins with a blank."""
    if text[at - 1] != "\n":
        escaped = _ESCAPED_BLOCK.match(text, at)
        return escaped.span() if escaped and escaped[0].strip() else None
    indent = _indent(text[text.rfind("\n", 0, key.start) + 1 : key.start])
    end = at
    start = at
    while at < len(text):
        stop = text.find("\n", at)
        stop = len(text) if stop < 0 else stop
        line = text[at:stop]
        if line.strip(" \t>"):
            inner = _indent(line)
            if not inner or (inner <= indent and end > start):
                break
            if end == start:
                start = at + inner
            end = stop
        at = stop + 1
    return (start, end) if end > start else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _on_next_line(text: str, key: Key, at: int) -> tuple[int, int] | None:
    line = _NEXT_LINE.match(text, at)
    if line and judge.is_strong(line[1], key.strength):
        return line.span(1)
    return None


def _enclosed(text: str, key: Key) -> tuple[int, int] | None:
    """Values in an element, an argument, a table cell, or under the name "value"."""
    if key.name and text[max(0, key.start - 32) : key.start].rpartition("<")[1]:
        element = _ELEMENT.match(text, key.end)
        if element and _fits(element[1], key):
            return element.span(1)
    if (plist := _PLIST.match(text, key.end)) and _fits(plist[1], key):
        return plist.span(1)
    if named := _NAMED.match(text, key.end):
        value = read_value(text, named.end())
        if value and judge.is_secret(value, key, literal=True):
            return value.start, value.end
    if argument := _ARGUMENT.match(text, key.end):
        value = read_value(text, argument.end())
        if value and " " not in value.text and judge.is_strong(value.text, key.strength):
            return value.start, value.end
    if (cell := _CELL.match(text, key.end)) and judge.is_strong(cell[1], key.strength):
        before = text[max(0, key.start - 40) : key.start]
        return cell.span(1) if before.rstrip(" \t`*_").endswith("|") else None
    return None


def _fits(content: str, key: Key) -> bool:
    value = Value(0, len(content), content, quoted=True, after=0)
    return judge.is_secret(value, key, literal=False)


def _option(text: str, key: Key) -> tuple[int, int] | None:
    blank = _OPTION_VALUE.match(text, key.end)
    if not blank:
        return None
    value = read_value(text, blank.end())
    if value is None or guards.is_placeholder(value.text) or guards.is_label(value.text):
        return None
    if value.quoted or key.strength == "weak" or "," in blank[0]:
        plain = judge.is_secret(value, key, literal=False, compared="," in blank[0])
        return (value.start, value.end) if plain else None
    if guards.is_path(value.text) or text.startswith("(", value.end):
        return None
    if guards.is_name(value.text) and not _OPTION_END.match(text, value.end):
        return None
    if value.text in vocabulary.NO_ARGUMENT:
        return None
    return (value.start, value.end) if len(value.text) >= 3 else None


def _in_prose(text: str, key: Key) -> tuple[int, int] | None:
    window = text[key.end : key.end + 80]
    if stop := _SENTENCE_END.search(window):
        window = window[: stop.end()] if stop[0][0] in "!?." else window[: stop.start()]
    if not window[:1] or window[0] not in " \t'’(*\"`:=,)\u2014":
        return None
    if key.strength == "password":
        word = _WORD_AFTER.match(text, key.end + len(window) - len(window.lstrip(" \t\"'`*:")))
        if window[0] in " \t:" and word and (found := _strong_word(text, key, word)):
            return found
        if (mine := _MY_WORD.match(window.lstrip())) and _MINE.search(
            text, max(0, key.start - 32), key.start
        ):
            shift = key.end + len(window) - len(window.lstrip())
            return mine.start(1) + shift, mine.end(1) + shift
    for link in itertools.islice(_CONNECTIVE.finditer(window), 4):
        word = _WORD_AFTER.match(text, key.end + link.end())
        if word and (found := _strong_word(text, key, word)):
            return found
    pair = _PAIR.match(text, key.end) if key.strength in ("password", "secret") else None
    if pair and guards.is_secret_in_prose(pair[2].rstrip(_STRIP)) and "://" not in pair[1]:
        return pair.span(1)
    return None


def _strong_word(text: str, key: Key, word: re.Match[str]) -> tuple[int, int] | None:
    bare = word[0].rstrip(_STRIP)
    if not judge.is_strong(bare, key.strength):
        return None
    return word.start(), word.start() + len(bare)


def _korean(text: str, key: Key) -> Iterator[tuple[int, int]]:
    josa = _JOSA.match(text, key.end)
    at = josa.end() if josa else key.end
    value = read_value(text, at) if not text[at : at + 1].isalnum() else None
    if value and value.quoted and judge.is_secret(value, key, literal=False):
        yield value.start, value.end
        return
    word = _KOREAN_WORD.match(text, at)
    if word and (end := _korean_word_end(text, key, word, assigned=bool(josa and josa["op"]))):
        yield word.start(), end
        return
    gap = _KOREAN_GAP.match(text, key.end)
    if gap and (word := _KOREAN_WORD.match(text, gap.end())):
        bare = word[0].rstrip(_STRIP)
        if judge.is_strong(bare, key.strength):
            yield word.start(), word.start() + len(bare)


def _korean_word_end(text: str, key: Key, word: re.Match[str], *, assigned: bool) -> int | None:
    bare = word[0].rstrip(_STRIP)
    if len(bare) < 3 or guards.is_placeholder(bare) or guards.is_label(bare):
        return None
    end = word.start() + len(bare)
    if judge.is_strong(bare, key.strength):
        return end
    if guards.is_technical(bare) or guards.is_path(bare) or guards.is_reference(bare + " "):
        return None
    copula = bool(_COPULA.match(text, word.end()))
    if key.strength == "password" and bare.isdigit() and len(bare) >= 4 and (assigned or copula):
        return end
    if key.strength == "token":
        value = Value(word.start(), end, bare, quoted=False, after=end)
        return end if assigned and judge.is_secret(value, key, literal=False) else None
    if assigned and guards.is_mixed(bare, at_least=4):
        return end
    if copula and len(bare) >= 5 and not bare.isupper() and not guards.is_reference(bare):
        return end
    return end if (assigned and judge.is_plain_word(bare)) else None
