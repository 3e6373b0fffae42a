"""Numbers that name a person or an account: resident registration numbers, payment cards.

A resident registration number is a birthday, a digit for century and sex, and six more. Until
October 2020 the last one was a check digit; since then they are drawn by lot, so a number that
fails the check is taken for one only when the text calls it one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Final

from .lazy import Pattern
from .spans import Span

_RESIDENT: Final = Pattern(r"[0-9]{6}(?:[ \t]?[-–－][ \t]?)?[1-8][0-9]{6}")
_RESIDENT_WORD: Final = Pattern(
    r"주민|외국인\s?등록|거소\s?신고|\brrn\b|resident\s+(?:registration|number)|registration\s+number|\bssn\b|"
    r"jumin|생년월일|식별\s?번호",
    re.IGNORECASE,
)
_WORD_DISTANCE: Final = 60
_WEIGHTS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_CENTURY: Final = {
    "1": 1900,
    "2": 1900,
    "3": 2000,
    "4": 2000,
    "5": 1900,
    "6": 1900,
    "7": 2000,
    "8": 2000,
}
_CARD: Final = Pattern(
    r"[2-6][0-9]{3}(?:([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}(?:\1[0-9]{3})?|"
    r"([ -])[0-9]{6}\2[0-9]{4,5}|[0-9]{10,15})"
)
_CARD_WORD: Final = Pattern(r"card|카드|visa|amex|unionpay|은련", re.IGNORECASE)
_ISSUERS: Final = Pattern(
    r"4[0-9]{15}(?:[0-9]{3})?"  # Visa
    r"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|"
    r"2720)[0-9]{12}"  # Mastercard
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}"  # Diners Club
    r"|(?:6011|65[0-9]{2}|64[4-9][0-9])[0-9]{12}"  # Discover
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12}"  # JCB
    r"|62[0-9]{14,17}"  # UnionPay
)


def find_numbers(text: str) -> Iterator[Span]:
    """Resident registration numbers and payment card numbers."""
    for match in _RESIDENT.finditer(text):
        if _stands_alone(text, *match.span()) and _is_resident_number(text, match):
            yield Span(*match.span(), "resident-number")
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if _stands_alone(text, *match.span()) and _is_card(text, match, digits):
            yield Span(*match.span(), "card-number")


def _is_card(text: str, match: re.Match[str], digits: str) -> bool:
    if not _ISSUERS.fullmatch(digits) or not luhn(digits):
        return False
    if len(digits) in (15, 16) or len(match[0]) > len(digits):
        return True  # other lengths without blanks are as often 64-bit numbers
    before = max(0, match.start() - _WORD_DISTANCE)
    return bool(_CARD_WORD.search(text, before, match.start()))


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    doubled = [int(d) * 2 for d in digits[-2::-2]]
    return (sum(d - 9 * (d > 9) for d in doubled) + sum(map(int, digits[-1::-2]))) % 10 == 0


def resident_check_digits(digits: str) -> tuple[int, int]:
    """What the 13th digit can be: for citizens, and for registered foreigners."""
    total = sum(int(d) * w for d, w in zip(digits, _WEIGHTS, strict=False))
    return (11 - total % 11) % 10, (13 - total % 11) % 10


def _is_resident_number(text: str, match: re.Match[str]) -> bool:
    digits = re.sub(r"\D", "", match[0])
    year, month, day = _CENTURY[digits[6]] + int(digits[:2]), int(digits[2:4]), int(digits[4:6])
    try:
        datetime.date(year, month, day)
    except ValueError:
        return False
    if _RESIDENT_WORD.search(text, max(0, match.start() - _WORD_DISTANCE), match.start()):
        return True
    citizen, foreigner = resident_check_digits(digits)
    if int(digits[12]) not in ((citizen,) if digits[6] in "1234" else (citizen, foreigner)):
        return False
    # Thirteen digits without a dash that begin with 10-20 are times in milliseconds (2001-2033).
    return len(match[0]) > 13 or digits[:2] > "20"


def _stands_alone(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    if before.isascii() and (before.isalnum() or before in tuple("._-+/$")):
        return before == "-" and not text[max(0, start - 2) : start - 1].isalnum()
    if after.isascii() and (after.isalnum() or after in ("_", "-")):
        return after == "-" and not text[end + 1 : end + 2].isalnum()
    return not (after == "." and text[end + 1 : end + 2].isdigit())
