"""Git's own files, read without git: where a repository is, and the name its remote gives it.

Hooks ask for this at every event, and starting git would cost more than the hook itself. Nothing
here fails: what cannot be read is as if it were not there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from .values import dataclass

_MAX_BYTES: Final = 1 << 20  # git's files are small; a larger one is not read
_CASELESS_HOSTS: Final = frozenset({"github.com", "gitlab.com", "bitbucket.org"})
_SAME_HOST: Final = {  # where ssh is answered on port 443, or apart from https
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Where git keeps what a folder belongs to."""

    top: Path  # of the work tree; the repository itself when it is bare
    main: Path  # the folder that all work trees of the repository have in common
    git: Path | None  # with config, objects and branches; None when a work tree has lost it
    own: Path | None  # with HEAD and index, of this work tree alone


def repository_around(folder: Path) -> Repository | None:
    """The repository whose work tree holds *folder*, at its top or below."""
    return next(filter(None, map(repository_at, (folder, *folder.parents))), None)


def repository_at(folder: Path) -> Repository | None:
    """The repository whose work tree, or bare repository, begins at *folder*."""
    dot_git = folder / ".git"
    if _is_git_folder(dot_git):
        return Repository(top=folder, main=folder, git=dot_git, own=dot_git)
    if pointer := _read(dot_git):
        return _follow(folder, pointer)
    if _is_git_folder(folder) and (folder / "objects").is_dir():
        main = _main_folder(folder)
        top = main if folder.name == ".git" else folder
        return Repository(top=top, main=main, git=folder, own=folder)
    return None


def _follow(top: Path, pointer: str) -> Repository | None:
    """A ``.git`` that is a file: a submodule, an added work tree or a separate git folder."""
    if not pointer.startswith("gitdir:"):
        return None
    target = pointer.removeprefix("gitdir:").strip()
    git = Path(target) if re.match("[A-Za-z]:/", target) else top / target
    if not _is_git_folder(git):
        # Moved, or seen from inside a container. A work tree still tells where its main one was.
        found = re.fullmatch(r"(.+)/worktrees/[^/]+", git.as_posix())
        main = _main_folder(Path(found[1])) if found else top
        return Repository(top=top, main=main, git=None, own=None)
    own, common = git, _read(git / "commondir").strip()
    if not common:
        return Repository(top=top, main=top, git=git, own=own)
    git = Path(os.path.normpath(git / common))
    config = parse_config(_read(git / "config"))
    of_submodule = [value for *key, value in config if key == ["core", "", "worktree"]]
    main = Path(os.path.normpath(git / of_submodule[-1])) if of_submodule else _main_folder(git)
    return Repository(top=top, main=main, git=git, own=own)


def _main_folder(git: Path) -> Path:
    """Of a repository that lies beside or inside its work tree, the folder a person would name."""
    if git.name in (".git", ".bare"):
        return git.parent
    return git.with_name(git.name.removesuffix(".git") or git.name)


def _is_git_folder(folder: Path) -> bool:
    try:
        return (
            folder.is_absolute()
            and (folder / "HEAD").is_file()
            and ((folder / "commondir").is_file() or (folder / "objects").is_dir())
        )
    except (OSError, ValueError):  # no permission; a name that no file can have
        return False


def _read(file: Path) -> str:
    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:  # a pipe would block
            return ""
        return file.read_bytes().decode("utf-8-sig", "replace").replace("\r\n", "\n")
    except (OSError, ValueError):
        return ""


def remote_urls(git: Path) -> tuple[str, ...]:
    """The URLs that the repository's remotes are fetched from: ``origin`` first, then as written."""
    urls: dict[str, str] = {}
    for section, remote, key, value in parse_config(_read(git / "config")):
        if (section, key) == ("remote", "url") and value:
            urls.setdefault(remote, value)
    return tuple(urls[remote] for remote in sorted(urls, key=lambda remote: remote != "origin"))


_HEADER: Final = re.compile(r'\s*\[\s*([\w.-]+)(?:[ \t]+"((?:[^"\\\n]|\\.)*)")?\s*\]', re.ASCII)
_KEY: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)[ \t]*(=?)[ \t]*")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b"}


def parse_config(text: str) -> Iterator[tuple[str, str, str, str]]:
    """Section, subsection, key and value of each line of a git configuration file.

    As git-config(1) describes it, but a line that git would refuse is passed over, and includes
    are not followed: they may lead anywhere.
    """
    section = subsection = ""
    position = 0
    while position < len(text):
        if header := _HEADER.match(text, position):
            name, _, dotted = header[1].lower().partition(".")
            quoted = header[2]
            section, subsection = (
                name,
                dotted if quoted is None else re.sub(r"\\(.)", r"\1", quoted),
            )
            position = header.end()
        elif key := _KEY.match(text, position):
            value, position = _parse_value(text, key.end())
            yield section, subsection, key[1].lower(), value if key[2] else "true"
        else:
            position = _end_of_line(text, position)


def _end_of_line(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _parse_value(text: str, position: int) -> tuple[str, int]:
    """The value that begins at *position*, and where the next line begins."""
    value = ""
    kept = 0  # how much of it is not blanks at the end
    quoted = False
    while position < len(text) and text[position] != "\n":
        char = text[position]
        position += 1
        if char == "\\":
            escaped = text[position : position + 1]
            position += 1
            if escaped != "\n":  # else the value goes on in the next line
                value += _ESCAPES.get(escaped, escaped)
                kept = len(value)
        elif char == '"':
            quoted = not quoted
            kept = len(value)
        elif char in "#;" and not quoted:
            return value[:kept], _end_of_line(text, position)
        else:
            value += char
            if quoted or not char.isspace():
                kept = len(value)
    return value[:kept], position + 1


_SCHEME: Final = re.compile(r"([a-z][a-z0-9+.-]*)://(.*)", re.IGNORECASE | re.DOTALL)
_AUTHORITY: Final = re.compile(r"(\[[^\]]*\]|[^:]*):?(.*)", re.DOTALL)
_SCP_LIKE: Final = re.compile(
    r"(?:[^/]*@)?(\[[^\]]*\]|[^:/\\@\[\]]{2,}):(?!:)(.*)", re.DOTALL
)  # two letters: C:/shop is a path


def remote_name(url: str) -> str:
    """``host/owner/name`` of a remote's URL in any form that git takes; "" if it names no host.

    Users, passwords, ports and queries are not part of the name. Hosts that do not tell upper from
    lower case in a path get it in lower case.
    """
    host, path = _split_url(url.strip())
    host = host.lower().rstrip(".").removeprefix("www.")
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if len(parts) > 1 and parts[-1] == ".git":
        parts.pop()
    if not host or not parts:
        return ""
    parts[-1] = parts[-1].removesuffix(".git") or parts[-1]
    if host == "ssh.dev.azure.com" and len(parts) == 4:
        del parts[0]  # v3/organisation/project/repository
    host = _SAME_HOST.get(host, host)
    if host == "dev.azure.com":
        parts = [part for part in parts if part != "_git"]
    if host in ("local", "root"):
        host += "."  # these name projects without a remote
    name = "/".join(parts)
    return f"{host}/{name.lower() if host in _CASELESS_HOSTS else name}"


def local_path(url: str) -> str:
    """The path that a remote's URL stands for; "" if it is elsewhere or not to be known."""
    url = url.strip()
    found = _SCHEME.fullmatch(url)
    if found and found[1].lower() == "file":
        path = "/" + _decoded(found[2].partition("/")[2])
        return path[1:] if re.match(r"/[A-Za-z]:", path) else path
    return "" if found or _SCP_LIKE.fullmatch(url) or "::" in url else url


def _split_url(url: str) -> tuple[str, str]:
    """Host and path; two empty texts for a path on this machine."""
    if found := _SCHEME.fullmatch(url):
        if found[1].lower() == "file":
            return "", ""
        rest = re.split(r"[?#]", found[2], maxsplit=1)[0]
        authority, _, path = rest.partition("/")
        host, port = _split_authority(authority)
        if port and not port.isdigit() and "@" in path:  # a slash in the password
            authority, _, path = rest.rpartition("@")[2].partition("/")
            host, _ = _split_authority(authority)
        return host, _decoded(path)
    if found := _SCP_LIKE.fullmatch(url):
        return _split_authority(found[1])[0], found[2]
    return "", ""


def _split_authority(authority: str) -> tuple[str, str]:
    found = _AUTHORITY.fullmatch(authority.rpartition("@")[2])
    assert found is not None, "the pattern takes any text"
    host, port = found[1].strip("[]"), found[2]
    return (host.partition(":")[0] if host.count(":") == 1 else host), port  # [host:port]:path


def _decoded(path: str) -> str:
    if "%" not in path:
        return path
    from urllib.parse import unquote

    return unquote(path)
