"""The filter in front of every write: private parts and secrets never reach a file."""

from .redactor import Redactor
from .repeats import KnownSecrets
from .rules import TAG_FORMATS, Redacted, RedactionRules, TagFormat

__all__ = [
    "TAG_FORMATS",
    "KnownSecrets",
    "Redacted",
    "RedactionRules",
    "Redactor",
    "TagFormat",
]
