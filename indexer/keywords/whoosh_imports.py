"""What is used of Whoosh, imported without its warnings."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # 2.7.4 has invalid escapes in its string literals, an error where warnings are errors.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from whoosh import columns, fields, formats, index
    from whoosh.codec.whoosh3 import W3Codec, W3Segment

__all__ = ["W3Codec", "W3Segment", "columns", "fields", "formats", "index"]
