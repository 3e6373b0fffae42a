"""Text without secrets is left alone, to the byte."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

from memjournal.journal.redaction import Redactor

REDACTOR = Redactor()

HARMLESS = """
token = parse_token(x)
password: str
password: string;
password?: string
passwords: list[str] = []
def get_api_key(name: str) -> str:
api_key=os.environ["X"]
api_key = os.getenv("API_KEY")
const key = process.env.API_KEY;
apiKey: process.env.API_KEY,
TOKEN=${TOKEN}
TOKEN=$TOKEN
export TOKEN="$(cat token.txt)"
token: ${{ secrets.GITHUB_TOKEN }}
token=<your-token>
API_KEY=your-api-key
API_KEY=xxxxxxxxxxxx
password: "********"
password=None
password=password, user=user
password = self.password
secret = settings.SECRET_KEY
tokens: 1024
token_count=5
max_tokens=4096
"max_tokens": 4096, "input_tokens": 1200
--token-file path/to/file
use --password to set the password
--password option
if password == other:
if token.type == "NAME":
password => {
"password": {"type": "string"}
password_hash varchar(255)
token budget is 2000 tokens
the secret of success is hard work
password field is required
Password must be at least 8 characters
"forgot_password": "Forgot your password?"
<label for="password">Password</label>
<input type="password" name="password">
bearer token
Bearer authentication is used
Authorization: Bearer <token>
headers["Authorization"] = f"Bearer {token}"
'Authorization': 'Bearer ' + token,
headers: { Authorization: `Bearer ${token}` }
key = lambda x: x[1]
primary_key = "orders_2024_pk"
for key, value in items.items():
sorted(items, key=itemgetter(1))
keyboard.press("ctrl+shift+1")
tokenizer = AutoTokenizer.from_pretrained("gpt2")
token = tokens[i + 1]
self.token = self.tokens[self.pos]
token = line[3:]
print("Password: ", end="")
getpass.getpass("Password: ")
postgres://${USER}:${PASSWORD}@localhost/db
http://localhost:5173/@vite/client
https://registry.example.org:443/@scope/name
git@github.com:acme/shop.git
docker run -u 1000:1000 image
commit 3f2a9c1b7d4e5f60718293a4b5c6d7e8f9012345
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"integrity": "sha512-3q2+7w9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08AA=="
id: 550e8400-e29b-41d4-a716-446655440000
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ
if line.startswith("-----BEGIN PRIVATE KEY-----"):
timestamp 1700000000000
order 1234567890123456
Cookie: theme=dark; lang=ko
PWD=/home/bob/shop
토큰은 JWT로 발급한다
토큰 수는 4096개
토큰 예산을 2000으로 줄였다
비밀번호는 bcrypt로 해시한다
비밀번호 필드는 필수입니다
비밀번호를 잊으셨나요?
비밀번호는 8자 이상이어야 합니다
비밀번호: 필수 입력
암호화는 AES-256-GCM으로 한다
키보드 단축키를 바꿨다
인증 키를 환경 변수 API_KEY에서 읽는다
세션 토큰은 Redis 대신 서명 쿠키로
""".strip().splitlines()


@pytest.mark.parametrize("line", HARMLESS)
def test_ordinary_lines_stay(line: str) -> None:
    assert REDACTOR.redact(line).text == line


MODULES = [
    "argparse",
    "ast",
    "base64",
    "calendar",
    "cgi",
    "cmd",
    "code",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "difflib",
    "dis",
    "doctest",
    "enum",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "getpass",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "imaplib",
    "inspect",
    "io",
    "keyword",
    "linecache",
    "locale",
    "mailbox",
    "mimetypes",
    "netrc",
    "nntplib",
    "ntpath",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "platform",
    "plistlib",
    "poplib",
    "pprint",
    "profile",
    "pty",
    "pydoc",
    "queue",
    "random",
    "re",
    "reprlib",
    "sched",
    "secrets",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "socketserver",
    "ssl",
    "stat",
    "statistics",
    "string",
    "subprocess",
    "symtable",
    "tarfile",
    "telnetlib",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "token",
    "tokenize",
    "trace",
    "traceback",
    "turtle",
    "types",
    "typing",
    "uuid",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "zipapp",
    "zipfile",
    "zipimport",
    "asyncio/base_events",
    "asyncio/tasks",
    "email/message",
    "http/client",
    "http/cookiejar",
    "http/cookies",
    "http/server",
    "json/decoder",
    "logging/config",
    "urllib/parse",
    "urllib/request",
    "xmlrpc/client",
    "unittest/mock",
]


def test_at_most_one_line_in_2000_of_the_standard_library_changes() -> None:
    folder = Path(sysconfig.get_paths()["stdlib"])
    n_lines = n_changed = 0
    for module in MODULES:
        path = folder / f"{module}.py"
        if not path.exists():
            path = folder / module / "__init__.py"
        if not path.exists():
            continue  # left the library after Python 3.11
        text = path.read_text(encoding="utf-8", errors="replace")
        redacted = Redactor().redact(text)
        n_lines += text.count("\n")
        lost = set(text.splitlines()) - set(redacted.text.splitlines())
        n_changed += len(lost)
    print(f"{n_changed} of {n_lines} lines changed")
    assert n_lines > 50_000
    assert n_changed * 2_000 <= n_lines
