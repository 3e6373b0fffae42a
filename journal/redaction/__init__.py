"""The filter in front of every write: private parts and secrets never reach a file."""

from .redactor import Redactor
from .repeats import MAX_KNOWN, KnownSecrets, hide_known
from .rules import TAG_FORMATS, Redacted, RedactionRules, TagFormat

__all__ = [
    "MAX_KNOWN",
    "TAG_FORMATS",
    "KnownSecrets",
    "Redacted",
    "RedactionRules",
    "Redactor",
    "TagFormat",
    "hide_known",
]
