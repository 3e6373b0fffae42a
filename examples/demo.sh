#!/bin/sh
# The main job on sample data, from nothing: what `make demo` runs. Works in .demo/, needs no network.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
journal="$here/.demo/journal"
rm -rf "$here/.demo"
mkdir -p "$here/.demo"

# Settings and home of this run only: nothing of yours is read or changed.
export MEMJOURNAL_HOME="$journal" MEMJOURNAL_JOURNAL_TIMEZONE=Asia/Seoul
export HOME="$here/.demo/home" XDG_CONFIG_HOME="$here/.demo/home/.config" COLUMNS="${COLUMNS:-100}"
unset CLAUDE_CONFIG_DIR || true

say() { printf '\n$ %s\n' "$*"; }
run() { say "$@"; "$@"; }

cd "$here/.demo"
say "mem init" && mem init "$journal" --git >/dev/null
say "cp -r examples/journal/* .demo/journal   # 22 short memories and 3 notes, Korean and English"
cp -R "$here"/examples/journal/* "$journal"/
say "mem import --all --from examples/transcripts/projects   # four Claude Code sessions"
mem import --all --from "$here/examples/transcripts/projects"

say 'mem search "why were refunds swallowed" -n 1'
mem search "why were refunds swallowed" -n 1
say 'mem search "주문 API가 타임아웃 난 원인이 뭐였지?" -n 3'
mem search "주문 API가 타임아웃 난 원인이 뭐였지?" -n 3

first=$(mem search "주문 API가 타임아웃 난 원인이 뭐였지?" --ids -n 1)
run mem timeline "$first" -w 2
run mem show "$first"
say 'mem recall "커넥션 풀을 다시 늘려도 될까?"   # what an assistant is told with this prompt'
(mkdir -p shop-api && cd shop-api && mem recall "커넥션 풀을 다시 늘려도 될까?" --project local/shop-api)
printf '\nEverything is plain Markdown in git. Look into %s, or ask on:\n' ".demo/journal"
printf '  HOME=$PWD/.demo/home MEMJOURNAL_HOME=.demo/journal .venv/bin/mem search "커넥션 풀"\n'
