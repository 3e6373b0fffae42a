"""The real client in a scratch home, with hooks installed. Run with ``make test-client``, and only then.

The client is large and comes from npm's registry; so these tests run when their folder or one of its
files is named, and are skipped, by the reason, where the client cannot be had. Under CI that is an error.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..journeys.conftest import World, new_world
from ..journeys.daemons import status
from ..waiting import wait_until
from .client import Client
from .installing import NotInstalledError, install
from .model_api import Model, serve

HERE = Path(__file__).resolve().parent

# What a person may have had in the settings before: permissions, odd layout, a hook of another program.
SETTINGS = """{
    "permissions": {"allow": ["Bash", "Read", "Write", "Edit", "Agent"]},
  "hooks": {"Stop": [{"hooks": [ {"type": "command", "command": "true"} ]}]},
  "//": "내 설정"
}"""


MAKEFILE = """\
test:
\t@echo '3 passed in 0.12s'
refund:
\t@echo 'FAILED test_pay.py::test_refund - 같은 초에 두 번 부르면 키가 겹친다'; exit 3
"""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave these tests alone, unless the command line leads into this folder."""
    named = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    return None if any(path.is_relative_to(HERE) for path in named) else True


@pytest.fixture(scope="session")
def program() -> Path:
    """The client's program."""
    try:
        return install()
    except NotInstalledError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


@pytest.fixture
def model() -> Iterator[Model]:
    """A model without a script yet."""
    with serve() as model:
        yield model


@dataclass(frozen=True)
class Memory:
    """One entry as ``mem export`` writes it."""

    fields: dict[str, object]

    @property
    def type(self) -> str:
        return str(self.fields["type"])

    @property
    def turn(self) -> object:
        return self.fields["turn"]

    @property
    def tool(self) -> str:
        return str(self.fields["tool"])

    @property
    def body(self) -> str:
        return str(self.fields["body"]).strip()

    @property
    def extra(self) -> Mapping[str, object]:
        extra = self.fields["extra"]
        assert isinstance(extra, dict)
        return extra


def memories(world: World, session: str = "") -> list[Memory]:
    """What the journal's files hold of *session*, in order."""
    chosen = ("--session", session) if session else ()
    return [Memory(one) for one in world.ok("export", *chosen).objects]


def indexed(client: Client) -> None:
    """See to it that the index has followed the files; without a daemon, commands see to it."""
    if client.is_alone:
        client.world.ok("index")
    else:
        wait_until(lambda: _is_current(status(client.world)))


def _is_current(daemon: Mapping[str, object]) -> bool:
    return daemon["behind"] == 0 and not daemon["doing"]


def git(folder: Path, *arguments: str) -> bytes:
    """What git prints in *folder*."""
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True).stdout


@pytest.fixture
def home(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A home with a journal and the client's settings, and no hooks; no daemon of it is left.

    Hooks may take their time: how long they take is measured elsewhere.
    """
    made = new_world(tmp_path / "집 home")
    own = {
        "XDG_STATE_HOME": str(tmp_path_factory.mktemp("s")),  # the path to a socket must be short,
        "TMPDIR": str(tmp_path_factory.mktemp("t")),  # to the client's as well
        "MEMJOURNAL_HOOK_BUDGET_S": "60",
    }
    world = World(made.home, {**made.environ, **own})
    world.ok("init")
    settings = world.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS, encoding="utf-8")
    yield world
    world.mem("daemon", "stop")


@pytest.fixture
def bare(home: World, program: Path, model: Model) -> Client:
    """The client without our hooks, in a project of its own."""
    project = home.home / "가게 shop"
    project.mkdir()
    git(project, "init", "--quiet")
    (project / "pay.py").write_text("def refund_key(order): ...\n", encoding="utf-8")
    (project / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    return Client(program, home, model, project)


@pytest.fixture(params=["daemon", "alone"])
def client(request: pytest.FixtureRequest, bare: Client) -> Client:
    """The client with our hooks, beside a daemon and where none may run."""
    bare.world.ok("hooks", "install", "--agent", "claude-code")
    if request.param == "alone":
        world = World(
            bare.world.home, {**bare.world.environ, "MEMJOURNAL_DAEMON_AUTOSTART": "never"}
        )
        return Client(bare.program, world, bare.model, bare.project)
    bare.world.ok("daemon", "start")
    indexed(bare)
    return bare


def settings_of(client: Client) -> dict[str, object]:
    loaded = json.loads(client.settings.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded
