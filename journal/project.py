"""Which project a folder belongs to, by a name that is the same on every machine.

The name is ``host/owner/name`` of the git remote; without one it is the folder: ``local/…`` below
anybody's home, ``root/…`` elsewhere. Subfolders and work trees have the name of their repository.
Two projects never share a name because one's is the beginning or a part of the other's.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath, PurePosixPath
from typing import Final

from .digests import sha256
from .errors import AmbiguousError, NotFoundError
from .remote import Repository, local_path, remote_name, remote_urls, repository_at
from .values import dataclass

_MAX_HOPS: Final = 4  # a clone of a clone of … on this machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What entries say in ``project``, and where that is on this machine."""

    name: str  # github.com/acme/shop, local/work/shop, root/srv/shop; "/" between parts, NFC
    root: Path | None  # top of the work tree that the folder is in; None outside of git


def identify_project(folder: Path, *, home: Path, aliases: Mapping[str, str]) -> Project:
    """The project that *folder* belongs to.

    The folder need not exist, nor be a path of this system: imported transcripts name folders of
    other machines. A repository at *home* itself (dotfiles) or at the top of the file system is
    the project of that very folder alone and not of everything below it.
    """
    folder, home = _resolved(folder), _resolved(home)
    repository = _repository_around(folder, home)
    if repository is None:
        name = _unalias(folder_name(folder, home=home), aliases)
        return Project(name=name, root=None)
    name = _name_repository(repository, home, hops=_MAX_HOPS)
    return Project(name=_unalias(name, aliases), root=repository.top)


def _resolved(folder: Path) -> Path:
    """Without links, as git and most assistants see it; as it is when it is of another system."""
    if not folder.is_absolute():
        return folder
    try:
        return folder.resolve()
    except (OSError, ValueError, RuntimeError):  # links in a circle; a name no file can have
        return folder


def _repository_around(folder: Path, home: Path) -> Repository | None:
    if not folder.is_absolute():
        return None
    for level in (folder, *folder.parents):
        repository = repository_at(level)
        if repository and (level == folder or not _is_for_all(level, home)):
            return repository
    return None


def _is_for_all(level: Path, home: Path) -> bool:
    """Whether a folder holds unrelated projects by its nature: a home, or the top of a disk."""
    return level == level.parent or folder_name(level, home=home) == "local"


def _name_repository(repository: Repository, home: Path, *, hops: int) -> str:
    urls = remote_urls(repository.git) if repository.git else ()
    for url in urls:
        if name := remote_name(url):
            return _clean(name)
    for path in filter(None, map(local_path, urls)):
        return _name_local_remote(repository.top, path, home, hops=hops)
    return folder_name(repository.main, home=home)


def _name_local_remote(top: Path, path: str, home: Path, *, hops: int) -> str:
    """A clone of a repository on this machine is the same project as that one."""
    foreign = bool(_DRIVE.match(path)) and not Path(path).is_absolute()
    target = Path(path) if foreign else _resolved(top / path)
    for candidate in (target, target.with_name(target.name + ".git")) if hops else ():
        if repository := repository_at(candidate):
            return _name_repository(repository, home, hops=hops - 1)
    text = re.sub(r"(?<=[^/\\])(?:[/\\]?\.git)$", "", str(target))
    return folder_name(PurePath(text), home=home)


_DRIVE: Final = re.compile(r"([A-Za-z]):(?=[/\\]|$)")
_HOME: Final = re.compile(  # letters by hand: `(?i:` costs a hook 2 ms
    r"/(?:(?:(?:usr|var)/)?home|Users|[a-z]/[Uu][Ss][Ee][Rr][Ss])/(?!(?:Shared|Public)(?:/|$))[^/]+(?:/(.*))?"
    r"|/root(?:/(.*))?"
)


def folder_name(folder: PurePath, *, home: PurePath) -> str:
    """The name of a folder without a remote: ``local/…`` below a home, else ``root/…``.

    Any user's home counts, of any system: a project keeps its name where the user has another.
    """
    path, own = _as_posix(str(folder)), _as_posix(str(home))
    if own != "/" and (path + "/").startswith(own + "/"):
        return _clean("local" + path.removeprefix(own))
    if found := _HOME.fullmatch(path):
        return _clean("/".join(filter(None, ("local", found[1] or found[2]))))
    return _clean(("root" + path).rstrip("/"))


def _as_posix(path: str) -> str:
    r"""One absolute spelling: ``C:\x``, ``/mnt/c/x``, ``/cygdrive/c/x`` and ``/c/x`` are ``/c/x``."""
    if _DRIVE.match(path) or path.startswith("\\\\"):
        path = path.replace("\\", "/")
    path = re.sub(r"^//[?.]/", "", path)
    path = re.sub(r"^//wsl(?:\$|\.localhost)/[^/]+", "", path, flags=re.IGNORECASE)
    path = _DRIVE.sub(lambda drive: "/" + drive[1].lower(), path, count=1)
    path = re.sub(r"^/(?:mnt|cygdrive)(?=/[A-Za-z](?:/|$))", "", path)
    path = re.sub(r"^/private(?=/(?:tmp|var|etc)(?:/|$))", "", path)  # macOS
    path = posixpath.normpath("/" + path.lstrip("/"))
    return unicodedata.normalize("NFC", path)


def _clean(name: str) -> str:
    """NFC, as macOS stores names decomposed; and nothing that would break a line or UTF-8."""
    return "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") else char
        for char in unicodedata.normalize("NFC", name)
    )


def _unalias(name: str, aliases: Mapping[str, str]) -> str:
    names = {_canonical(other): _canonical(one) for other, one in aliases.items()}
    seen = {name}
    while (target := names.get(name, "")) and target not in seen:
        seen.add(target)
        name = target
    return name


def _canonical(text: str) -> str:
    """A project's name as a person writes it: perhaps as a URL, or in upper case."""
    text = text.strip().strip("/")
    if "." in text.partition("/")[0] and not _DRIVE.match(text):
        return _clean(remote_name(text) or remote_name("ssh://" + text) or text)
    return _clean(remote_name(text) or text)


def matches(name: str, wanted: str) -> bool:
    """Whether *wanted* is the project's name or whole parts at its end, in any case.

    ``shop`` and ``acme/shop`` match ``github.com/acme/shop``; ``shop`` never ``shop-mobile``.
    """
    parts, asked = _parts(name), _parts(wanted)
    return bool(asked) and parts[-len(asked) :] == asked


def _parts(name: str) -> list[str]:
    return [part for part in _clean(name).casefold().split("/") if part]


def find_project(names: Iterable[str], wanted: str) -> str:
    """The one project of *names* that *wanted* means; a whole name goes before parts of others.

    Raises:
        NotFoundError: there is none.
        AmbiguousError: there are several; guessing would mix projects up.
    """
    known = sorted(set(names))
    found = [name for name in known if name == wanted]
    found = found or [name for name in known if _parts(name) == _parts(wanted)]
    found = found or [name for name in known if matches(name, wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(f"no project {wanted}", mend="`mem stats` lists the projects")
    raise AmbiguousError(f"{wanted} may be {' or '.join(found)}", mend="write more of the name")


_MAX_PART_BYTES: Final = 100
_MAX_PATH_BYTES: Final = 240  # Windows allows 260 to a whole path unless told otherwise
_UNSAFE_NAME: Final = re.compile(  # devices of Windows, and its short name of .git
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\..*)?|git~[0-9]+",
    re.IGNORECASE,
)


def project_path(name: str) -> PurePosixPath:
    """The relative folder of a project's memories: a safe name on every file system.

    A part that had to be changed ends in ``--`` and a hash of what it was, so that projects with
    different names have different folders; a path that came out of here goes through unchanged.
    """
    name = unicodedata.normalize("NFC", name)
    parts = [_safe_part(part) for part in name.split("/")]
    if len(parts) > 4 and len("/".join(parts).encode()) > _MAX_PATH_BYTES:
        parts = [*parts[:2], f"_--{_hash(name)}", parts[-1]]
    return PurePosixPath(*parts)


def _safe_part(part: str) -> str:
    safe = "".join(
        "-" if char in '<>:"|?*\\' or unicodedata.category(char) in _UNSAFE_CATEGORIES else char
        for char in part
    )
    safe = safe.lstrip(".- ").rstrip(". ")
    if _UNSAFE_NAME.fullmatch(safe):
        safe = f"_{safe}"
    if safe == part and part and len(part.encode()) <= _MAX_PART_BYTES:
        return part
    suffix = f"--{_hash(part)}"
    room = _MAX_PART_BYTES - len(suffix)
    stem = safe.encode()[:room].decode(errors="ignore").rstrip(". ") or "_"
    return unicodedata.normalize("NFC", stem) + suffix


_UNSAFE_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")  # Cf: git's HFS rules skip over them


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:10]
