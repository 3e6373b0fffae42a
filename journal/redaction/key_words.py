"""Words that announce a secret, in English and Korean, also inside names such as ``DB_PASSWORD``.

The same word often announces none (``token_count``, ``tokenizer``, ``password_hash``): what stands
before and after it in the same name decides.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from ..values import dataclass
from . import vocabulary
from .lazy import Pattern

Strength = Literal["password", "secret", "token", "weak"]
"""What may follow: nearly anything, a phrase, a drawn value, a long value drawn by lot."""

ANCHOR: Final = Pattern(
    r"pass(?=[w _:='\"`\-p\\\])}])|pwd|pw(?=[^a-z])|pin(?=[ _:=는은이]|\"|')|otp|cv[vc]|secret|"
    r"credential|token"
    r"|key|auth(?=[\"'`\\\] :=])|contrase|비밀|비번|패스|암호|핀|시크릿|개인|자격|인증|토큰|api(?=\s?키)|에이|액세스|엑세스|"
    r"접근|서비스"
    r"|보안|라이선스|접속|パス|密码"
)
"""Where to look closer. All branches begin with a character, or `re` would crawl."""

KEY_WORD: Final = Pattern(
    r"(?P<password>pass(?:w(?:or[dt]|d)|[ _-]?phrase|[ _-]?code)|contraseña"
    r"|비밀\s?번호|비밀\s?구문|비번|패스\s?워드|패스\s?프레이즈|암호(?!화|문|학|\s?알고|\s?모듈|\s?키)|핀\s?번호"
    r"|パスワード|密码)"
    r"|(?P<short>(?:pass|pwd|pw|pin|otp|cvv|cvc)"
    r"(?=[\"'`\\\])}]{0,4}[ \t]{0,8}(?:[:=：는은이가]|는|은|→|\d|[_-])|[ \t]{1,4}\S))"
    r"|(?P<secret>secret|credential|시크릿|비밀\s?키|개인\s?키|암호\s?키|자격\s?증명|인증\s?정보)"
    r"|(?P<token>token|토큰(?!화|나이저|라이저|이제이션|이저)"
    r"|(?:api|에이피아이|액세스|엑세스|접근|서비스|인증|보안|라이선스|접속|시크릿)\s?키(?!보드|워드)"
    r"|인증\s?(?:번호|코드))"
    r"|(?P<key>key)"
    r"|(?P<auth>auth(?=[\"'`\\]{0,4}\]?[ \t]{0,4}[:=]))"
)

_QUALIFIED_KEY: Final = Pattern(
    r"(?:api|access|secret|private|account|sign(?:ing|ature)?|encrypt(?:ion)?|encryption|master|"
    r"service|auth|licen[cs]e|ssh|consumer|client|deploy|publish|storage|shared|sharedaccess|"
    r"subscription|webhook|app|application|session|jwt|hmac|crypto|symmetric|security|admin|"
    r"integration|ingest|project|server|write|read|read_?write|rest|anon|service_?role)[ _.-]?\Z"
)
_PUBLIC_KEY: Final = Pattern(
    r"(?:public|primary|foreign|partition|sort|cache|hot|short|idempotency|routing|site|dedupe|"
    r"object|s3|host|index|row|map|dict|sub|group|join)[ _.-]?\Z"
)
_NAME_BEFORE: Final = Pattern(r"[A-Za-z0-9_.\-]{0,48}\Z")
_NAME_AFTER: Final = Pattern(r"[A-Za-z0-9_\-]{0,48}")
_SAME_CASE: Final = {
    True: Pattern(r"[a-z]*"),
    False: Pattern(r"[A-Z]*(?![a-z])"),
}
_PARTS: Final = Pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Key:
    """Where a name that announces a secret stands, and how much it promises."""

    start: int
    end: int
    strength: Strength
    name: str
    korean: bool
    needs_sign: bool = False  # "pass" and "pin" are everyday words: only ``pass:`` counts

    @property
    def is_option(self) -> bool:
        return self.name.startswith("--")

    @property
    def is_constant(self) -> bool:
        """``DB_PASSWORD``: in files and shells, such names are given a value as it is."""
        return self.name.isupper() and not self.korean


def read_key(text: str, match: re.Match[str]) -> Key | None:
    """The whole name around a word that `KEY_WORD` found, or None if it announces nothing."""
    group = match.lastgroup or ""
    start, end = match.span()
    before = _before(text, start)
    word = text[start:end]
    korean = not word[-1].isascii()
    if korean:
        return Key(start, end, _strength(group), word, korean=True)
    after = _after(text, end)
    if not _may_announce(word, before, after, group):
        return None
    strength = _strength(group)
    if group == "key":
        lowered = before.lower()
        if _QUALIFIED_KEY.search(lowered) or _spaced_qualifier(text, start):
            strength = "token"
        elif _PUBLIC_KEY.search(lowered):
            return None
    name = before + word + after
    return Key(
        start - len(before),
        end + len(after),
        strength,
        name,
        False,
        word.lower() in ("pass", "pin"),
    )


def _before(text: str, start: int) -> str:
    found = _NAME_BEFORE.search(text, max(0, start - 48), start)
    return found[0].lstrip(".") if found else ""


def _after(text: str, end: int) -> str:
    found = _NAME_AFTER.match(text, end)
    after = found[0] if found else ""
    arrow = after.endswith("-") and text.startswith(">", end + len(after))
    return after[:-1] if arrow else after


def _spaced_qualifier(text: str, start: int) -> bool:
    return bool(_QUALIFIED_KEY.search(text[max(0, start - 16) : start].lower()))


def _strength(group: str) -> Strength:
    if group in ("password", "short"):
        return "password"
    if group == "secret":
        return "secret"
    return "token" if group == "token" else "weak"


def _may_announce(word: str, before: str, after: str, group: str) -> bool:
    if group in ("short", "auth") and before[-1:].isalpha() and not _is_hump(before[-1], word[0]):
        return before.lower().endswith(("db", "pg", "my", "mysql", "user", "root", "ftp", "smtp"))
    if word.lower() in ("pin", "otp", "cvv", "cvc") and after.strip("0123456789"):
        return False
    if group == "key" and before[-1:].isalpha() and not _is_hump(before[-1], word[0]):
        return bool(_QUALIFIED_KEY.search(before.lower()))
    if after:
        same_case = _SAME_CASE[word[-1].islower()].match(after)
        goes_on = same_case[0] if same_case else ""
        if goes_on and goes_on.lower() not in vocabulary.GOES_ON:
            return False
        parts = {part.lower() for part in _PARTS.findall(after[len(goes_on) :])}
        if parts & vocabulary.NO_SECRET_AFTER and not (group == "secret" and parts == {"id"}):
            return False
    return True


def _is_hump(left: str, right: str) -> bool:
    return left.islower() and right.isupper()
