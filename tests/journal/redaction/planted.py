"""Secrets of all kinds, drawn anew from a fixed seed, and the wordings and places they are planted in.

Nothing here is a secret: the values are put together at run time, so that no scanner takes them for one.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

ALNUM = string.ascii_letters + string.digits
DRAW = random.Random(20261130)


def drawn(length: int, alphabet: str = ALNUM) -> str:
    """Characters by lot, at least one of them a digit."""
    letters = [DRAW.choice(alphabet) for _ in range(length)]
    if "7" in alphabet:
        letters[length // 2] = "7"
    return "".join(letters)


def hexadecimal(length: int) -> str:
    return drawn(length, "0123456789abcdef")


def base64url(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


BY_SHAPE: dict[str, Callable[[], str]] = {
    "openai": lambda: "sk-" + drawn(48),
    "openai project": lambda: "sk-" + "proj-" + drawn(40) + "-" + drawn(30) + "_" + drawn(20),
    "openai service": lambda: "sk-" + "svcacct-" + drawn(60),
    "anthropic": lambda: "sk-" + "ant-api03-" + drawn(80) + "-" + drawn(10),
    "github classic": lambda: "gh" + "p_" + drawn(36),
    "github oauth": lambda: "gh" + "o_" + drawn(36),
    "github user": lambda: "gh" + "u_" + drawn(36),
    "github server": lambda: "gh" + "s_" + drawn(36),
    "github refresh": lambda: "gh" + "r_" + drawn(60),
    "github fine-grained": lambda: "github" + "_pat_" + drawn(22) + "_" + drawn(59),
    "gitlab": lambda: "gl" + "pat-" + drawn(20),
    "slack bot": lambda: "xo" + "xb-" + drawn(12, "0123456789") + "-" + drawn(24),
    "slack user": lambda: "xo" + "xp-" + drawn(12, "0123456789") + "-" + drawn(32),
    "slack webhook": lambda: "https://hooks.slack" + ".com/services/T0AB/B0CD/" + drawn(24),
    "aws key id": lambda: "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567"),
    "aws session key id": lambda: "AS" + "IA" + drawn(16, string.ascii_uppercase + "234567"),
    "google api": lambda: "AI" + "za" + drawn(35),
    "google oauth": lambda: "ya" + "29." + drawn(60),
    "stripe live": lambda: "sk" + "_live_" + drawn(24),
    "stripe restricted": lambda: "rk" + "_live_" + drawn(24),
    "stripe webhook": lambda: "wh" + "sec_" + drawn(32),
    "npm": lambda: "np" + "m_" + drawn(36),
    "pypi": lambda: "py" + "pi-AgEIcHlwaS5vcmc" + drawn(80),
    "hugging face": lambda: "h" + "f_" + drawn(34),
    "sendgrid": lambda: "S" + "G." + drawn(22) + "." + drawn(43),
    "twilio": lambda: "S" + "K" + hexadecimal(32),
    "discord": lambda: "M" + drawn(25) + "." + drawn(6) + "." + drawn(38),
    "telegram": lambda: drawn(10, "123456789") + ":A" + "A" + drawn(33),
    "digitalocean": lambda: "dop" + "_v1_" + hexadecimal(64),
    "shopify": lambda: "shp" + "at_" + hexadecimal(32),
    "age": lambda: "AGE-SECRET" + "-KEY-1" + drawn(58, string.ascii_uppercase + "234567"),
    "jwt": lambda: ".".join(
        (base64url('{"alg":"HS256","typ":"JWT"}'), base64url('{"sub":"1234567890"}'), drawn(43))
    ),
    "basic": lambda: "Basic " + base64.b64encode(f"bob:{drawn(10)}".encode()).decode(),
    "bearer": lambda: "Bearer " + drawn(24),
    "connection": lambda: f"postgres://bob:{drawn(12)}@db.example.com:5432/shop",
    "connection srv": lambda: f"mongodb+srv://bob:{drawn(12)}@c0.example.net/shop",
    "connection without user": lambda: f"redis://:{drawn(12)}@cache:6379/0",
    "connection amqp": lambda: f"amqp://bob:{drawn(8)}%40x@mq:5672/",
    "signed link": lambda: f"https://x.blob.example.net/a?sv=1&sig={drawn(43)}%3D",
    "password hash": lambda: "$2b$12$" + drawn(53),
}

ENGLISH = (
    "{}",
    "please use {} for the deployment",
    "the key is {}.",
    "I pasted ({}) into the settings, then it failed",
    "export KEY={}",
    'client = Client("{}")',
)
KOREAN = (
    "{} 이걸로 배포해줘",
    "키는 {}입니다.",
    "설정에 {}를 넣었더니 실패했어요",
    "토큰: {}",
)

KEYED_ENGLISH = (
    "my password is {}",
    "the password for the staging database is {}, remember it",
    "password: {}",
    "Password = {}",
    "password={}",
    "pwd: {}",
    "pw: {}",
    "passphrase: {}",
    "api_key={}",
    "api key: {}",
    "apiKey: '{}',",
    'const clientSecret = "{}";',
    "SECRET_KEY = '{}'",
    "token={}",
    "the token is: '{}'",
    "export GITHUB_TOKEN={}",
    "export DB_PASSWORD='{}'",
    "DATABASE_PASSWORD={} ./run.sh",
    "docker run -e POSTGRES_PASSWORD={} postgres",
    "aws_secret_access_key = {}",
    'FOO_SECRET_KEY: "{}"',
    "mysql -u root -p{} shop",
    "mysql --password={} shop",
    "curl --token {} https://example.com",
    "curl -u bob:{} https://example.com",
    'curl -H "Authorization: Token {}" https://example.com',
    "curl -H 'X-Api-Key: {}' https://example.com",
    "Authorization: Bearer {}",
    "Authorization: {}",
    "Proxy-Authorization: Digest username=bob, response={}",
    "Cookie: theme=dark; session={}; lang=ko",
    "Set-Cookie: sid={}; HttpOnly",
    "https://example.com/cb?state=1&access_token={}&x=1",
    "jdbc:mysql://db/shop?user=bob&password={}",
    "Server=db;User Id=sa;Password={};Encrypt=true",
    "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={};EndpointSuffix=x",
    "machine example.com login bob password {}",
    "<password>{}</password>",
    '<add key="DbPassword" value="{}" />',
    '<input type="password" value="{}">',
    '{{"name": "DB_PASSWORD", "value": "{}"}}',
    "- name: DB_PASSWORD\n  value: {}",
    "password: |\n  {}\nnext: 1",
    "password: str = '{}'",
    'os.environ["API_KEY"] = "{}"',
    "login('bob', password='{}')",
    "requests.get(url, auth=('bob', '{}'))",
    "if password == '{}':",
    "CREATE USER bob IDENTIFIED BY '{}';",
    "ALTER ROLE bob WITH PASSWORD '{}';",
    "sshpass -p '{}' ssh example.com",
    "openssl rsa -passin pass:{} -in key.pem",
    "echo {} | sudo -S apt update",
    "redis-cli -a {} ping",
    "credentials: admin / {}",
    "| password | {} |",
    "https://example.com/admin\n{}\n",
    "password:\n```\n{}\n```",
    "//packages.example.org/:_authToken={}",
    '["--password", "{}"]',
)
KEYED_KOREAN = (
    "비밀번호는 {}야",
    "비밀번호는 {} 입니다",
    "비밀번호: {}",
    "비밀번호 {} 로 로그인해줘",
    "비밀번호를 {}로 바꿨어",
    "비밀번호가 {}라서 안 돼",
    "DB 비밀번호는 지금 {}이에요",
    "비번 {}",
    "비번은 '{}'",
    "패스워드 = {}",
    "암호는 {}다",
    "password는 {}야",
    "API 키: {}",
    "API 키는 {}입니다",
    "액세스 키는 '{}'",
    '토큰은 "{}" 이야',
    "시크릿: {}",
    "비밀키 = {}",
    "인증키: {}",
    "서비스키={}",
    "아이디/비번: admin/{}",
)

CONTEXTS: dict[str, Callable[[str], str]] = {
    "prompt": lambda text: f"안녕, please look at this.\n{text}\nthanks",
    "alone": lambda text: text,
    "json": lambda text: json.dumps({"a": 1, "text": text, "b": [2]}, ensure_ascii=False),
    "ascii json": lambda text: json.dumps({"text": text.encode("ascii", "ignore").decode()}),
    "json in json": lambda text: json.dumps(json.dumps({"text": text}, ensure_ascii=False)),
    "code": lambda text: f"def f():\n    # {text}\n    return 1\n",
    "error": lambda text: f"Traceback (most recent call last):\nValueError: {text}\n",
    "quote": lambda text: "> " + text.replace("\n", "\n> "),
    "list": lambda text: f"- one\n- {text}",
    "fence": lambda text: f"```\n{text}\n```",
}


def telling_parts(secret: str) -> list[str]:
    """What may not be left of a secret: the drawn part of an address, else all of it."""
    if secret.startswith("https://hooks"):
        return [secret.rsplit("/", 1)[1]]
    if "://" in secret and "sig=" not in secret:
        return [secret.split("://")[1].split("@")[0].split(":")[1]]
    if "sig=" in secret:
        return [secret.split("sig=")[1]]
    secret = secret.rpartition(" ")[2]
    return [secret, secret[:14], secret[-14:]]
