"""The tables of the catalog, and the number of their format: with another one it is built anew."""

from __future__ import annotations

from typing import Final

CATALOG_FORMAT: Final = "8"

SCHEMA: Final = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files(
    path TEXT PRIMARY KEY, kind TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns TEXT NOT NULL,
    ctime_ns TEXT NOT NULL,
    head_end INTEGER, head BLOB, record_end INTEGER, is_proven INTEGER NOT NULL DEFAULT 1
) WITHOUT ROWID;
CREATE INDEX unproven_files ON files(path) WHERE is_proven = 0;
CREATE TABLE oddities(path TEXT NOT NULL, place TEXT NOT NULL, what TEXT NOT NULL);
CREATE INDEX oddities_by_path ON oddities(path);
CREATE TABLE entries(
    docno INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, path TEXT NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL,
    digest BLOB NOT NULL, kind TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL,
    project TEXT NOT NULL, session TEXT NOT NULL, turn INTEGER, agent TEXT NOT NULL,
    tool TEXT NOT NULL, privacy TEXT NOT NULL, created TEXT NOT NULL, created_us INTEGER NOT NULL,
    outcome TEXT NOT NULL, branch TEXT NOT NULL,
    n_chars INTEGER NOT NULL, tags TEXT NOT NULL, files TEXT NOT NULL, symbols TEXT NOT NULL,
    body_start INTEGER, body_length INTEGER NOT NULL
);
CREATE INDEX entries_by_id ON entries(id);
CREATE INDEX entries_by_path ON entries(path, offset);
CREATE INDEX entries_by_session ON entries(session, created_us);
CREATE INDEX answers_by_turn ON entries(session, turn) WHERE type = 'assistant_response';
CREATE INDEX entries_by_project ON entries(project, created_us);
CREATE INDEX set_down ON entries(project, kind, created_us) WHERE kind <> 'event';
CREATE INDEX what_projects_hold ON entries(project, type, session, tool);
CREATE INDEX types_set_down ON entries(type, kind) WHERE kind <> 'event';
CREATE INDEX entries_by_time ON entries(created_us);
CREATE TABLE tags(tag TEXT NOT NULL, docno INTEGER NOT NULL, PRIMARY KEY(tag, docno)) WITHOUT ROWID;
CREATE INDEX tags_by_docno ON tags(docno);
CREATE TABLE mentions(file TEXT NOT NULL, docno INTEGER NOT NULL, PRIMARY KEY(file, docno))
    WITHOUT ROWID;
CREATE INDEX mentions_by_docno ON mentions(docno);
CREATE TABLE aliases(alias TEXT NOT NULL, docno INTEGER NOT NULL, PRIMARY KEY(alias, docno))
    WITHOUT ROWID;
CREATE INDEX aliases_by_docno ON aliases(docno);
CREATE TABLE superseded(entry TEXT NOT NULL, docno INTEGER NOT NULL, PRIMARY KEY(entry, docno))
    WITHOUT ROWID;
CREATE INDEX superseded_by_docno ON superseded(docno);
"""
