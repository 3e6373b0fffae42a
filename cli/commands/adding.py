"""What a person writes into the journal and changes there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...journal.errors import AmbiguousError, FormatError, MemjournalError, UsageError
from .. import options, output
from ..announcing import announce_if_back
from ..commit_written import commit_written
from ..context import Context
from ..references import open_row, resolve_references
from ..text_command import TextCommand
from .forgetting import forget

if TYPE_CHECKING:
    from ...indexer.catalog.row import Row
    from ...journal.drafting import Draft, Wishes


def register(app: typer.Typer) -> None:
    """Add the commands of this group."""
    for command in (add, edit, forget):
        app.command(cls=TextCommand)(command)


# --- add ----------------------------------------------------------------------------------------


def add(
    context: typer.Context,
    text: Annotated[list[str] | None, typer.Argument(help="The words; - reads stdin.")] = None,
    title: Annotated[str, typer.Option("--title", help="Default: the first line.")] = "",
    type_: Annotated[
        str, typer.Option("--type", "-t", help="decision, preference, lesson, workflow, …")
    ] = "note",
    kind: Annotated[
        str, typer.Option("--kind", help="fact or rule, for a type that may be both.")
    ] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A tag (repeatable).")] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", help='Default: the current folder\'s; "" is none.'),
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", "-f", help="A file it is about (repeatable).")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="mem:ID, path or address it comes from.")
    ] = None,
    confidence: Annotated[
        float, typer.Option("--confidence", min=0.0, max=1.0, help="How sure it is, 0 to 1.")
    ] = 1.0,
    importance: Annotated[
        float, typer.Option("--importance", min=0.0, max=1.0, help="How much it matters, 0 to 1.")
    ] = 0.5,
    use_editor: Annotated[
        bool, typer.Option("--edit", "-e", help="Write it in your editor.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Remember something: the words given, stdin, or what you write in your editor."""
    from ...journal.drafting import Wishes, draft_entry

    surroundings: Context = context.obj
    words = _words(text, or_stdin=not use_editor)
    wishes = Wishes(
        title=title,
        kind=kind,
        type=type_,
        project=_project_for(surroundings, project),
        tags=tuple(tag or ()),
        source=tuple(_source_name(surroundings, one) for one in source or ()),
        files=tuple(_file_name(surroundings, one) for one in file or ()),
        confidence=confidence,
        importance=importance,
    )
    if use_editor:
        draft = _draft_in_editor(surroundings, words, wishes)
    else:
        redactor = surroundings.redactor
        draft = draft_entry(words, wishes, redactor=redactor, now=surroundings.now)
    if draft is not None:
        _store(surroundings, draft, as_json=as_json)


def _words(text: list[str] | None, *, or_stdin: bool) -> str:
    """The words of the command line, or what is piped in."""
    if text and text != ["-"]:
        return " ".join(text)
    if text == ["-"] or (or_stdin and not sys.stdin.isatty()):
        try:
            return sys.stdin.buffer.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FormatError("not UTF-8", where="stdin", mend="convert it first") from error
    if or_stdin:
        raise typer.BadParameter(
            'give a text, - for stdin, or --edit: mem add "Use signed cookies"'
        )
    return ""


def _project_for(surroundings: Context, wanted: str | None) -> str:
    """The project's whole name: of the current folder, or of a known one that *wanted* ends."""
    from ...journal.errors import NotFoundError
    from ...journal.place import PROJECT_FOLDER
    from ...journal.project import find_project

    if wanted is None:
        is_inside = surroundings.cwd.is_relative_to(surroundings.root)
        if is_inside and surroundings.root.name != PROJECT_FOLDER:
            return ""  # the journal itself is no project
        return surroundings.project.name
    if not wanted:
        return ""
    known = [*surroundings.current_catalog().tally("project"), surroundings.project.name]
    try:
        return find_project(filter(None, known), wanted)
    except AmbiguousError:
        raise
    except NotFoundError:  # a project that nothing is known of yet
        return wanted.strip("/")


def _source_name(surroundings: Context, text: str) -> str:
    """What stands for a source: ``mem:ID`` for an entry of the journal, anything else as given.

    Only what says that it is an entry is looked up, by ``mem:`` or as a file of the journal: a bare
    word may be the beginning of some id by chance.

    Raises:
        AmbiguousError: it is the beginning of several ids.
        UsageError: ``mem:`` is followed by something that is no id.
    """
    from ...journal.errors import NotFoundError

    is_entry = text.strip().lower().startswith(("mem:", "[mem:"))
    path = (surroundings.cwd / text).absolute()
    if not is_entry and not (path.is_file() and path.is_relative_to(surroundings.root)):
        return text
    try:
        rows = resolve_references(surroundings, surroundings.current_catalog(), [text])
    except AmbiguousError:
        raise
    except NotFoundError as error:  # it may be on another machine, and come with the next pull
        output.warn(f"{error.what}; kept as it is")
        return text
    ids = {row.id for row in rows}
    return f"mem:{ids.pop()}" if len(ids) == 1 else text


def _file_name(surroundings: Context, text: str) -> str:
    """A file of the project by its path in it; any other as it was given."""
    path, root = (surroundings.cwd / text).absolute(), surroundings.project.root
    if root is not None and path.exists() and path.is_relative_to(root):
        return path.relative_to(root).as_posix()
    return text


def _draft_in_editor(surroundings: Context, words: str, wishes: Wishes) -> Draft | None:
    """What was written in the form; None when it was left empty."""
    import shutil
    import tempfile

    from ...journal.drafting import draft_from_form
    from ..editor import open_in_editor

    form = _render_form(words, wishes)
    folder = Path(tempfile.mkdtemp(prefix="mem-"))  # only its owner may look into it
    path = folder / "memory.md"
    path.write_text(form, encoding="utf-8", newline="")
    line = form[: form.index("\n# ") + 1].count("\n") + 1
    setting = surroundings.settings.editor
    try:
        open_in_editor(setting, path, environ=surroundings.environ, line=line)
    except MemjournalError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    try:
        written = path.read_bytes().decode("utf-8-sig")
        draft = draft_from_form(
            written, wishes, redactor=surroundings.redactor, now=surroundings.now
        )
    except (MemjournalError, UnicodeDecodeError, OSError) as error:
        what = error.what if isinstance(error, MemjournalError) else "the form cannot be read"
        raise FormatError(what, where=str(path), mend="what you wrote is still there") from error
    shutil.rmtree(folder, ignore_errors=True)
    if draft is None:
        output.note("the form was left empty: nothing was added")
    return draft


def _render_form(words: str, wishes: Wishes) -> str:
    from ...journal.drafting import WRITTEN_TYPES, split_title
    from ...templates import render

    title, body = split_title(words)
    return render(
        "memory-form.md.j2",
        type=wishes.type,
        types=", ".join(WRITTEN_TYPES),
        project=wishes.project,
        tags=_as_list(wishes.tags),
        source=_as_list(wishes.source),
        title=wishes.title or title,
        body=body,
    )


def _as_list(texts: tuple[str, ...]) -> str:
    import json

    return json.dumps(list(texts), ensure_ascii=False)


def _store(surroundings: Context, draft: Draft, *, as_json: bool) -> None:
    note = {"redacted": str(draft.n_hidden)} if draft.n_hidden else {}
    created = surroundings.journal.create(replace(draft.entry, extra={**draft.entry.extra, **note}))
    entry, n_hidden = created.entry, draft.n_hidden + created.n_hidden
    if as_json:
        fields = {"id": f"mem:{entry.id}", "path": created.path, "title": entry.title}
        output.emit("added", {**fields, "is_new": created.is_new, "n_hidden": n_hidden})
    else:
        output.line(f"{output.style(entry.citation, output.CYAN)} {created.path}")
    if n_hidden:
        hidden = output.count(n_hidden, "secret or private part", "secrets or private parts")
        output.note(f"{hidden} not written")
    if not created.is_new:
        output.note("already there: nothing was added")
        return
    surroundings.update_index(wait=False, paths=[created.path])
    paths = [created.path, *announce_if_back(surroundings, entry.id)]
    commit_written(surroundings, paths, f"add: {entry.type} {entry.citation}")


# --- edit ---------------------------------------------------------------------------------------


def edit(
    context: typer.Context,
    refs: Annotated[list[str], typer.Argument(help="mem:a7Bc3x, any unique prefix, or a path.")],
    assignment: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a field without the editor."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Open memories in your editor, or change single fields with --set."""
    surroundings: Context = context.obj
    rows = resolve_references(surroundings, surroundings.fresh_catalog(), refs)
    if assignment:
        before = _set_fields(surroundings, rows, assignment)
    else:
        before = _edit_files(surroundings, rows)
        _redact_edits(surroundings, before)
    changed = [path for path, data in before.items() if data != _read(surroundings.root / path)]
    for path in before:
        _report_edit(surroundings, path, was_changed=path in changed, as_json=as_json)
    surroundings.update_index(wait=False, paths=changed)
    # Citations, not titles: what is forgotten later must not stand in a message of the history.
    cited = ", ".join(f"[mem:{row.id}]" for row in rows if row.path in changed)
    commit_written(surroundings, changed, output.shorten(f"edit: {cited}", 72))


def _redact_edits(surroundings: Context, before: Mapping[str, bytes | None]) -> None:
    """Take out what an editor that we started has put in and that may not be kept.

    A file that held such a thing before is its author's business: it is named, and left as it is.
    """
    from ...journal import files

    for path, old in before.items():
        new = _read(surroundings.root / path)
        if new is None or old is None or new == old:
            continue
        try:
            was, now = old.decode("utf-8"), new.decode("utf-8")
        except UnicodeDecodeError:
            continue
        redacted = surroundings.redactor.redact(now)
        if redacted.text == now or surroundings.redactor.redact(was).text != was:
            continue
        files.replace(surroundings.root / path, redacted.text.encode("utf-8"))
        hidden = output.count(
            redacted.n_hidden, "secret or private part", "secrets or private parts"
        )
        output.note(f"{path}: {hidden} not kept")


def _read(path: Path) -> bytes | None:
    """The bytes of a file; None when it is gone."""
    from ...journal import files
    from ...journal.errors import NotFoundError

    try:
        return files.read(path)
    except NotFoundError:
        return None


def _set_fields(
    surroundings: Context, rows: list[Row], assignment: list[str]
) -> dict[str, bytes | None]:
    """Change the fields; the bytes of each file as they were."""
    from ...journal.field_changes import parse_assignments, plan_field_changes

    pairs = parse_assignments(assignment)
    if "project" in pairs:
        pairs["project"] = _project_for(surroundings, pairs["project"])
    plans: dict[str, dict[str, object]] = {}
    for row in rows:
        if row.path.startswith("sessions/"):
            raise UsageError(
                f"mem:{row.id} is part of a conversation, which only grows",
                mend=f"write a memory about it: mem add --source mem:{row.id} …",
            )
        plans[row.path] = plan_field_changes(open_row(surroundings, row).entry, pairs)
    before = {path: _read(surroundings.root / path) for path in plans}
    for path, changes in plans.items():
        surroundings.journal.change_fields(path, changes)
    return before


def _edit_files(surroundings: Context, rows: list[Row]) -> dict[str, bytes | None]:
    """Open each file once, where its first entry begins; the bytes of each as they were."""
    from ..editor import open_in_editor

    before: dict[str, bytes | None] = {}
    for row in rows:
        if row.path in before:
            continue
        path = surroundings.root / row.path
        before[row.path] = _read(path)
        line = surroundings.index.line_of(row)
        setting = surroundings.settings.editor
        open_in_editor(setting, path, environ=surroundings.environ, line=line)
    return before


def _report_edit(surroundings: Context, path: str, *, was_changed: bool, as_json: bool) -> None:
    """Say what the file at *path* is like now; of what looks like a secret only its kind."""
    from ...journal.reading import Oddity, read_entries, stat_file

    file = stat_file(surroundings.root, path)
    odd: list[str] = []
    kinds: tuple[str, ...] = ()
    if file is not None and was_changed:
        found = read_entries(surroundings.root, file)
        odd = [one.what for one in found if isinstance(one, Oddity)]
        text = (_read(surroundings.root / path) or b"").decode("utf-8", "replace")
        kinds = surroundings.redactor.redact(text).kinds
    state = "gone" if file is None else "changed" if was_changed else "unchanged"
    if as_json:
        output.emit("edited", {"path": path, "state": state, "oddities": odd, "secrets": kinds})
    else:
        output.line(f"{state} {path}")
    for what in odd:
        output.warn(f"{path}: {what}")
    if kinds:
        output.warn(f"{path}: the file now holds what looks like a secret: {', '.join(kinds)}")
