"""A project has one name: from any subfolder, work tree, clone and machine; and only its own."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memjournal.journal.errors import AmbiguousError, NotFoundError
from memjournal.journal.project import (
    Project,
    find_project,
    folder_name,
    identify_project,
    matches,
    project_path,
)
from memjournal.journal.remote import local_path, parse_config, remote_name

from ..git_by_hand import git
from ..odd_places import a_pipe

SHOP = "github.com/acme/shop"


class World:
    """A machine with a home and a few repositories."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home" / "dev"
        self.home.mkdir(parents=True)

    def folder(self, path: str) -> Path:
        folder = self.home / path
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def repository(self, path: str, url: str = "") -> Path:
        folder = self.folder(path)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "commit", "-q", "--allow-empty", "-m", "first")
        if url:
            git(folder, "remote", "add", "origin", url)
        return folder

    def identify(self, folder: Path, aliases: Mapping[str, str] | None = None) -> Project:
        return identify_project(folder, home=self.home, aliases=aliases or {})

    def name(self, folder: Path) -> str:
        return self.identify(folder).name


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


# Repositories


def test_a_subfolder_has_the_name_of_its_repository(world: World) -> None:
    shop = world.repository("src/shop", "git@github.com:acme/shop.git")
    project = world.identify(world.folder("src/shop/app/models"))
    assert project == Project(name=SHOP, root=shop)


def test_work_trees_of_a_repository_converge(world: World) -> None:
    shop = world.repository("shop", "https://github.com/acme/shop")
    git(shop, "worktree", "add", "-q", str(world.home / "elsewhere" / "fix"))
    project = world.identify(world.folder("elsewhere/fix/app"))
    assert (project.name, project.root) == (SHOP, world.home / "elsewhere" / "fix")


def test_work_trees_converge_without_a_remote(world: World) -> None:
    shop = world.repository("shop")
    git(shop, "worktree", "add", "-q", "../shop-fix")
    assert world.name(world.home / "shop-fix") == world.name(shop) == "local/shop"


def test_a_work_tree_that_lost_its_repository_is_still_named_after_it(world: World) -> None:
    shop = world.repository("shop")
    git(shop, "worktree", "add", "-q", "../shop-fix")
    shop.rename(world.home / "moved")
    assert world.name(world.home / "shop-fix") == "local/shop"


@pytest.mark.parametrize("bare", ["shop/.bare", "shop.git"])
def test_work_trees_of_a_bare_repository_converge(world: World, bare: str) -> None:
    git(world.home, "clone", "-q", "--bare", str(world.repository("seed")), bare)
    git(world.home / bare, "remote", "remove", "origin")
    git(world.home / bare, "worktree", "add", "-q", str(world.home / "trees" / "one"))
    assert world.name(world.home / "trees" / "one") == "local/shop"
    assert world.name(world.home / bare / "refs") == "local/shop"


def test_a_submodule_is_its_own_project(world: World) -> None:
    library = world.repository("library", "https://github.com/acme/library")
    shop = world.repository("shop", "https://github.com/acme/shop")
    git(shop, "submodule", "--quiet", "add", str(library), "vendor/library")
    assert world.name(shop / "vendor" / "library") == "github.com/acme/library"
    git(shop / "vendor" / "library", "remote", "remove", "origin")
    assert world.name(shop / "vendor" / "library") == "local/shop/vendor/library"
    git(shop / "vendor" / "library", "worktree", "add", "-q", str(world.home / "wt"))
    assert world.name(world.home / "wt") == "local/shop/vendor/library"


def test_a_submodule_without_its_repository_is_not_the_project_around_it(world: World) -> None:
    shop = world.repository("shop", "https://github.com/acme/shop")
    inner = world.folder("shop/vendor/library")
    (inner / ".git").write_text("gitdir: ../../.git/modules/gone\n")
    assert world.name(inner) == "local/shop/vendor/library"
    assert world.name(shop) == SHOP


def test_a_separate_git_folder_is_followed(world: World) -> None:
    shop = world.folder("shop")
    git(world.home, "init", "-q", "--separate-git-dir", str(world.folder("gits") / "s"), str(shop))
    git(shop, "remote", "add", "origin", "https://github.com/acme/shop")
    assert world.name(shop) == SHOP


def test_inside_the_git_folder_one_is_still_in_the_project(world: World) -> None:
    shop = world.repository("shop", "https://github.com/acme/shop")
    git(shop, "worktree", "add", "-q", "../shop-fix")
    for inside in (".git", ".git/hooks", ".git/worktrees/shop-fix"):
        assert world.identify(shop / inside) == Project(name=SHOP, root=shop)


def test_an_empty_git_folder_is_not_a_repository(world: World) -> None:
    shop = world.repository("shop", "https://github.com/acme/shop")
    assert world.name(world.folder("shop/sub/.git").parent) == world.name(shop)


def test_origin_goes_before_other_remotes_and_the_first_of_others_counts(world: World) -> None:
    shop = world.repository("shop")
    git(shop, "remote", "add", "upstream", "https://github.com/acme/shop")
    git(shop, "remote", "add", "fork", "https://github.com/dev/shop")
    assert world.name(shop) == SHOP
    git(shop, "remote", "add", "origin", "https://github.com/me/shop")
    assert world.name(shop) == "github.com/me/shop"


def test_a_clone_of_a_clone_has_the_name_of_the_remote_behind_it(world: World) -> None:
    shop = world.repository("shop", "https://github.com/acme/shop")
    git(world.home, "clone", "-q", "shop", "copy")
    git(world.home, "clone", "-q", (world.home / "copy").as_uri(), "copy-2")
    assert world.name(world.home / "copy-2") == world.name(shop) == SHOP


def test_clones_of_a_bare_repository_on_disk_are_one_project(world: World) -> None:
    git(world.home, "init", "-q", "--bare", "hub/shop.git")
    for clone, url in (("a", "hub/shop.git"), ("b", "hub/shop")):
        git(world.home, "clone", "-q", url, clone)
        project = world.identify(world.home / clone)
        assert project.name == "local/hub/shop"


def test_a_remote_on_disk_that_is_gone_still_names_the_project(world: World) -> None:
    shop = world.repository("shop", "/media/stick/shop.git")
    assert world.name(shop) == "root/media/stick/shop"
    git(shop, "remote", "add", "hub", "https://github.com/acme/shop")
    assert world.name(shop) == SHOP


def test_a_repository_that_is_its_own_remote_does_not_loop(world: World) -> None:
    assert world.name(world.repository("shop", ".")) == "local/shop"


def test_dotfiles_in_the_home_do_not_swallow_the_projects_below(world: World) -> None:
    world.repository(".", "https://github.com/dev/dotfiles")
    assert world.name(world.home) == "github.com/dev/dotfiles"
    assert world.identify(world.folder("notes/x")).name == "local/notes/x"
    assert world.identify(world.home / "gone" / "y").name == "local/gone/y"


def test_a_folder_that_was_deleted_inside_a_repository_belongs_to_it(world: World) -> None:
    shop = world.repository("shop", "https://github.com/acme/shop")
    assert world.name(shop / "gone" / "deeper") == SHOP


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_to_a_repository_has_its_name(world: World) -> None:
    shop = world.repository("data/shop/app")
    (world.home / "link").symlink_to(shop)
    (world.home / "circle").symlink_to(world.home / "circle")
    assert world.name(world.home / "link") == world.name(shop)
    assert world.name(world.home / "circle") == "local/circle"


def test_a_pipe_in_place_of_a_git_file_does_not_block(world: World) -> None:
    a_pipe(world.folder("shop") / ".git")
    assert world.name(world.home / "shop") == "local/shop"


def test_korean_names_converge_whether_composed_or_not(world: World) -> None:
    names = [unicodedata.normalize(form, "작업/쇼핑몰") for form in ("NFC", "NFD")]
    assert {world.name(world.repository(name)) for name in names} == {f"local/{names[0]}"}
    shop = world.repository("b", "https://git.example.com/" + names[1])
    assert world.name(shop) == "git.example.com/" + names[0]


def test_what_git_says_is_the_remote_is_what_we_read(world: World) -> None:
    shop = world.repository("shop")
    url = 'https://git.example.com/a b/"quoted"\\#1;x'
    git(shop, "config", "remote.origin.url", url)
    config = (shop / ".git" / "config").read_text()
    assert ("remote", "origin", "url", url) in list(parse_config(config))


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))


@given(value=words, remote=words.filter(lambda text: "\n" not in text))
def test_any_value_that_is_written_as_git_writes_it_is_read_back(value: str, remote: str) -> None:
    def escaped(text: str) -> str:
        return text.replace("\\", "\\\\").replace('"', '\\"')

    in_quotes = escaped(value).replace("\n", "\\n").replace("\t", "\\t")
    text = f'[core]\n bare\n[remote "{escaped(remote)}"]\n\turl = "{in_quotes}" ; why\n[a]b=c'
    assert list(parse_config(text)) == [
        ("core", "", "bare", "true"),
        ("remote", remote, "url", value),
        ("a", "", "b", "c"),
    ]


def test_a_configuration_is_read_as_git_reads_it() -> None:
    text = (
        "\ufeff# comment\n[Remote.Origin] URL = one \\\ntwo # no\n"
        '[remote "A\\"b"] url = a" ; "b  ;x\n???\n[include]\n\tpath = /etc/x\n\turl'
    )
    assert list(parse_config(text.lstrip("\ufeff"))) == [
        ("remote", "origin", "url", "one two"),
        ("remote", 'A"b', "url", "a ; b"),
        ("include", "", "path", "/etc/x"),
        ("include", "", "url", "true"),
    ]


# Names of remotes


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/shop",
        "https://github.com/acme/shop.git/",
        "https://www.GitHub.com/Acme/Shop.git",
        "https://dev:to%2Fken@github.com:443/acme/shop.git",
        "https://x-access-token:ghp_abc/def@github.com/acme/shop",
        "https://github.com/acme/shop?token=abc#readme",
        "http://github.com//acme//shop",
        "git://github.com/acme/shop.git",
        "ssh://git@github.com:22/acme/shop.git",
        "ssh://git@ssh.github.com:443/acme/shop.git",
        "git+ssh://git@github.com/acme/shop",
        "git@github.com:acme/shop.git",
        "git@github.com:/acme/shop.git",
        "github.com:acme/shop",
        "dev:secret@github.com:acme/shop.git",
        "git@[github.com:22]:acme/shop.git",
        "https://github.com/ac%6De/shop",
        "  https://github.com/acme/shop/.git\n",
    ],
)
def test_every_form_of_a_url_gives_the_same_name(url: str) -> None:
    assert remote_name(url) == SHOP


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://gitlab.com/A/b/C/d.git", "gitlab.com/a/b/c/d"),
        ("git@git.Example.com:Team/Shop.git", "git.example.com/Team/Shop"),
        ("ssh://git@git.example.com:2222/~dev/shop", "git.example.com/~dev/shop"),
        ("ssh://git@[2001:db8::1]:22/o/n.git", "2001:db8::1/o/n"),
        ("[::1]:o/n.git", "::1/o/n"),
        ("git@work:acme/shop.git", "work/acme/shop"),
        ("https://acme@dev.azure.com/acme/proj/_git/shop", "dev.azure.com/acme/proj/shop"),
        ("git@ssh.dev.azure.com:v3/acme/proj/shop", "dev.azure.com/acme/proj/shop"),
        ("https://git.example.com/a/../../etc/%2e%2e/b", "git.example.com/a/etc/b"),
        ("git@local:acme/shop", "local./acme/shop"),
        ("https://github.com/", ""),
        ("https://", ""),
        ("/srv/git/shop.git", ""),
        ("../shop", ""),
        ("./a:b", ""),
        (r"C:\git\shop", ""),
        ("C:/git/shop", ""),
        ("file:///srv/shop.git", ""),
        ("ext::sh -c run", ""),
        ("", ""),
    ],
)
def test_a_url_gives_the_name(url: str, name: str) -> None:
    assert remote_name(url) == name


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/srv/git/shop.git", "/srv/git/shop.git"),
        ("../a:b", "../a:b"),
        ("file:///srv/%EC%87%BC%ED%95%91", "/srv/쇼핑"),
        ("file://localhost/srv/shop", "/srv/shop"),
        ("file:///C:/git/shop", "C:/git/shop"),
        (r"C:\git\shop", r"C:\git\shop"),
        ("git@github.com:acme/shop", ""),
        ("https://github.com/acme/shop", ""),
        ("ext::sh -c run", ""),
    ],
)
def test_a_url_on_this_machine_gives_its_path(url: str, path: str) -> None:
    assert local_path(url) == path


slugs = st.text("abcXYZ019_가나", min_size=1, max_size=8)
hosts = st.sampled_from(["github.com", "git.example.com", "gitlab.com"])


@given(host=hosts, path=st.lists(slugs, min_size=1, max_size=4), user=slugs, secret=slugs)
def test_forms_converge_and_credentials_are_never_kept(
    host: str, path: list[str], user: str, secret: str
) -> None:
    place, secret = "/".join(path), f"<{secret}>"
    urls = [
        f"https://{host}/{place}",
        f"https://{user}:{secret}@{host}:8443/{place}.git",
        f"ssh://{user}:{secret}@{host}/{place}/",
        f"{user}@{host}:{place}.git",
        f"{user}:{secret}@{host}:{place}",
        f"git://{host.upper()}/{place}.git/",
    ]
    names = {remote_name(url) for url in urls}
    assert len(names) == 1
    assert secret not in names.pop()


@given(st.text())
def test_no_text_breaks_the_reading_of_a_url(url: str) -> None:
    name = remote_name(url)
    assert not (name and local_path(url))
    assert ".." not in name.split("/")


# Names of folders


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/dev/work/shop", "local/work/shop"),
        ("/home/dev", "local"),
        ("/home/other/work/shop", "local/work/shop"),
        ("/Users/dev/work/shop", "local/work/shop"),
        ("/root/work/shop", "local/work/shop"),
        ("/var/home/dev/work/shop", "local/work/shop"),
        (r"C:\Users\dev\work\shop", "local/work/shop"),
        ("c:/users/dev/work/shop/", "local/work/shop"),
        (r"\\?\C:\Users\dev\work\shop", "local/work/shop"),
        (r"\\wsl$\Ubuntu\home\dev\work\shop", "local/work/shop"),
        ("/mnt/c/Users/dev/work/shop", "local/work/shop"),
        ("/c/Users/dev/work/shop", "local/work/shop"),
        ("/home/dev/./work/x/../shop", "local/work/shop"),
        (r"D:\work\shop", "root/d/work/shop"),
        ("/mnt/d/work/shop", "root/d/work/shop"),
        ("/mnt/data/shop", "root/mnt/data/shop"),
        ("/srv/shop", "root/srv/shop"),
        ("/home", "root/home"),
        ("/homes/dev/x", "root/homes/dev/x"),
        ("/rooted/x", "root/rooted/x"),
        ("/Users/Shared/x", "root/Users/Shared/x"),
        ("/private/tmp/x", "root/tmp/x"),
        ("/", "root"),
        ("C:\\", "root/c"),
        ("/srv/line\nbreak", "root/srv/line\ufffdbreak"),
    ],
)
def test_a_folder_has_the_same_name_on_every_system(folder: str, name: str) -> None:
    home = PurePosixPath("/home/dev")
    path = PurePosixPath(folder)
    assert folder_name(path, home=home) == name
    if "\\" in folder:
        assert folder_name(PureWindowsPath(folder), home=home) == name


def test_an_unusual_home_is_known_by_being_given() -> None:
    home = PurePosixPath("/data/u0")
    assert folder_name(PurePosixPath("/data/u0/shop"), home=home) == "local/shop"
    assert folder_name(PurePosixPath("/data/u01/shop"), home=home) == "root/data/u01/shop"
    assert folder_name(PurePosixPath("/srv/x"), home=PurePosixPath("/")) == "root/srv/x"


@pytest.mark.skipif(os.name == "nt", reason="the other way round there")
def test_a_path_of_another_system_is_never_looked_up_here(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.repository("shop", "https://github.com/acme/shop"))
    project = world.identify(Path(r"C:\Users\dev\x"))
    assert project == Project(name="local/x", root=None)
    (world.folder("fix") / ".git").write_text("gitdir: C:/Users/dev/x/.git/worktrees/fix")
    git(world.home / "shop", "clone", "-q", "--bare", ".", "C:/Users/dev/x/.git/worktrees/fix")
    assert world.name(world.home / "fix") == "local/x"


@pytest.mark.parametrize("folder", ["/a\0b", "/" + "x" * 5000, ""])
def test_a_path_that_no_file_can_have_still_has_a_name(world: World, folder: str) -> None:
    assert world.name(Path(folder)).startswith("root")


# Aliases, choice and paths


@pytest.mark.parametrize(
    ("aliases", "name"),
    [
        ({"work/acme/shop": SHOP}, SHOP),
        ({"git@work:acme/shop.git": "https://GitHub.com/Acme/Shop"}, SHOP),
        ({"work/acme/shop": "b", "b": "c"}, "c"),
        ({"work/acme/shop": "b", "b": "work/acme/shop"}, "b"),
        ({"work/acme": SHOP}, "work/acme/shop"),
    ],
)
def test_an_alias_renames_a_project(world: World, aliases: dict[str, str], name: str) -> None:
    shop = world.repository("shop", "git@work:acme/shop.git")
    assert world.identify(shop, aliases).name == name


@pytest.mark.parametrize(
    ("wanted", "yes"),
    [
        (SHOP, True),
        ("acme/shop", True),
        ("Shop", True),
        ("shop/", True),
        ("shop-mobile", False),
        ("sho", False),
        ("me/shop", False),
        ("github.com/acme", False),
        ("", False),
        ("/", False),
    ],
)
def test_a_project_is_meant_by_whole_parts_at_its_end(wanted: str, yes: bool) -> None:
    assert matches(SHOP, wanted) is yes


def test_a_similar_name_is_another_project() -> None:
    assert not matches("github.com/acme/shop-mobile", "shop")
    assert not matches("github.com/acme/shop/api", "shop")


def test_a_name_that_means_several_projects_is_refused() -> None:
    names = [SHOP, "github.com/me/shop", "local/api", "api"]
    assert find_project(names, "acme/shop") == SHOP
    assert find_project(names, "api") == "api"
    with pytest.raises(AmbiguousError, match=r"github.com/acme/shop or github.com/me/shop"):
        find_project(names, "shop")
    with pytest.raises(NotFoundError):
        find_project(names, "sho")


def test_a_composed_and_a_decomposed_name_have_one_path() -> None:
    assert str(project_path(unicodedata.normalize("NFD", "local/쇼핑몰"))) == "local/쇼핑몰"


@pytest.mark.parametrize("name", [SHOP, "local/작업/쇼핑몰", "git.sr.ht/~dev/x", "root/a b/c"])
def test_an_ordinary_name_is_its_path(name: str) -> None:
    assert str(project_path(name)) == name


@pytest.mark.parametrize(
    "part",
    ["", ".", "..", ".git", "-rf", "a\\b", "c:", "CON", "aux.c", "nul .x", "a.", "a ", "git~1"]
    + ["x\ny", "~\0", "\u200d.git", "긴" * 50, "a?", "\udcff", " "],
)
def test_a_part_that_some_system_refuses_is_changed(part: str) -> None:
    (safe,) = project_path(part).parts
    assert safe != part and "--" in safe
    assert len(safe.encode()) <= 100


names = st.lists(
    st.text(max_size=12)
    | st.sampled_from(["..", ".", ".git", "CON", "con.x", "긴" * 60, "a" * 99]),
    min_size=1,
    max_size=12,
).map("/".join)


@given(names)
def test_a_path_never_leaves_its_folder_and_is_stable(name: str) -> None:
    path = project_path(name)
    assert not path.is_absolute()
    assert path.parts
    for part in path.parts:
        assert part[0] not in ".-" and part[-1] not in ". "
        assert not any(unicodedata.category(char) == "Cc" for char in part)
        assert len(part.encode()) <= 100
        assert not PureWindowsPath(part).is_reserved()
        assert unicodedata.is_normalized("NFC", part)
    assert project_path(str(path)) == path


@given(names, names)
def test_different_names_have_different_paths(one: str, other: str) -> None:
    assume(unicodedata.normalize("NFC", one) != unicodedata.normalize("NFC", other))
    assert project_path(one) != project_path(other)


@given(st.text("/.- a:", max_size=4), st.text("/.- a:", max_size=4))
def test_names_of_awkward_characters_have_different_paths(one: str, other: str) -> None:
    assume(one != other)
    assert project_path(one) != project_path(other)
