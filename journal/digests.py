"""SHA-256 as Python has it compiled in; `hashlib` loads OpenSSL for it, 3 ms that no hook has to spare."""

from __future__ import annotations

__all__ = ["sha256"]

TYPE_CHECKING = False  # `hooks.thin` loads this, and not `typing`
if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # from 3.12 on
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256
