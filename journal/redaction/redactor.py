"""The one filter in front of every write.

Pure: a text goes in, a text goes out. It knows no file, clock or log, and what it removes is
in nothing that it returns or raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from ..errors import SettingsError
from ..ids import find_citations
from .masking import mask
from .private_tags import hide_private
from .repeats import KnownSecrets, worth_knowing
from .rules import Redacted, RedactionRules
from .secrets import find_secrets
from .spans import Span, cut, keep_markers, unite

DEFAULT_RULES: Final = RedactionRules()
_LONGEST_ID: Final = 16  # characters; what is longer in a citation's brackets may be a token
MAX_PASSES: Final = 6
"""Two are the rule: one that cuts, one that finds nothing more. Only a text made to defeat
redaction needs more than four, and such a text is dropped whole."""


class Redactor:
    """Takes out private parts and secrets.

    Raises:
        SettingsError: one of ``rules.patterns`` is not a regular expression.
    """

    def __init__(self, rules: RedactionRules = DEFAULT_RULES) -> None:
        self.rules = rules
        self._markers = (rules.marker, rules.private_marker)
        self._own = [_compile(pattern, i) for i, pattern in enumerate(rules.patterns, 1)]
        words = sorted(filter(None, map(str.strip, rules.words)), key=len, reverse=True)
        if words:
            self._own.append(re.compile("|".join(map(re.escape, words)), re.IGNORECASE))

    def redact(self, text: str, *, known: KnownSecrets | None = None) -> Redacted:
        """*text* as it may be written. Redacting that once more changes nothing.

        What is *known* is hidden too, and what is recognised here is known from now on.
        """
        if known is not None:
            return self._redact_known(text, known)
        return self._redact(text, lambda _: None)

    def _redact_known(self, text: str, known: KnownSecrets) -> Redacted:
        found: set[str] = set()
        redacted = self._redact(text, lambda secret: found.update(worth_knowing(secret)))
        if redacted.n_private:
            found |= self.secrets_in(text)  # those in private parts, which were not looked at
        known.learn(found)
        rest, n_known = known.hide(redacted.text, found, marker=self.rules.marker)
        if not n_known:
            return redacted
        again = self.redact(rest)
        return Redacted(
            again.text,
            redacted.n_private + again.n_private,
            redacted.n_secrets + n_known + again.n_secrets,
            tuple(sorted({*redacted.kinds, *again.kinds, "known"})),
        )

    def _redact(self, text: str, recognised: Callable[[str], object]) -> Redacted:
        n_private = n_secrets = 0
        kinds: set[str] = set()
        for _ in range(MAX_PASSES):
            hidden, n_parts = hide_private(text, self.rules)
            spans = unite(keep_markers(hidden, self._find(hidden), self._kept_in(hidden)))
            for span in spans:
                recognised(hidden[span.start : span.end])
            rest = cut(
                hidden, spans, marker=self.rules.marker, preserve_lines=self.rules.preserve_lines
            )
            n_private += n_parts
            n_secrets += len(spans)
            kinds.update(span.kind for span in spans)
            if n_parts:
                kinds.add("private")
            if rest == text:
                break
            text = rest
        else:
            text = self.rules.marker
        return Redacted(text, n_private, n_secrets, tuple(sorted(kinds)))

    def redact_value(self, value: object) -> object:
        """Decoded JSON with every string redacted, and masked whole where its key names a secret.

        Lists, tuples and mappings are copied; numbers, booleans and None stay what they are,
        except a number under a key such as ``password``.
        """
        return mask(value, redact=lambda text: self.redact(text).text, marker=self.rules.marker)

    def secrets_in(self, value: object) -> frozenset[str]:
        """The secrets in a text or in decoded JSON that are secrets wherever else they stand.

        For ``KnownSecrets.learn``, and for nothing that is kept.
        """
        found: set[str] = set()

        def collect(text: str) -> str:
            for span in unite(self._find(text)):
                found.update(worth_knowing(text[span.start : span.end]))
            return text

        mask(
            value,
            redact=collect,
            marker=self.rules.marker,
            hidden=lambda text: found.update(worth_knowing(text)),
        )
        return frozenset(found)

    def _kept_in(self, text: str) -> Iterator[str]:
        """What is no secret, whatever stands before it: what was put in place of one, and citations."""
        yield from self._markers
        if "[mem:" in text:
            yield from (f"[mem:{one}]" for one in find_citations(text) if len(one) <= _LONGEST_ID)

    def _find(self, text: str) -> Iterator[Span]:
        yield from find_secrets(text)
        for pattern in self._own:
            for match in pattern.finditer(text):
                yield Span(*match.span(), "custom")


def _compile(pattern: str, number: int) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise SettingsError(
            f"redaction pattern {number} is not a regular expression: {error.msg}",
            mend="correct or remove it",
        ) from None
