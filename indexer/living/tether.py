"""Runs a command that ends with whoever started it, however that ends: a script of its own.

Its standard input is a pipe: one line with the command as a JSON list comes through it, and then
nothing. The kernel closes the other end when the parent is gone, killed or not, on every system; then
the command is killed.
"""

import json
import os
import subprocess
import threading


def main() -> int:
    """Run the command; its exit code, the negative number of the signal that ended it (which leaves
    this process as 256 less that), or 1 if no command came.
    """
    line = bytearray()
    while not line.endswith(b"\n"):
        if not (part := os.read(0, 1)):
            return 1
        line += part
    child = subprocess.Popen(json.loads(line), stdin=subprocess.DEVNULL)
    threading.Thread(target=_kill_at_end, args=(child,), daemon=True).start()
    return child.wait()


def _kill_at_end(child: "subprocess.Popen[bytes]") -> None:
    while os.read(0, 1):
        pass
    child.kill()


if __name__ == "__main__":
    raise SystemExit(main())
