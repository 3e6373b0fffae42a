"""Secrets that are known by their shape, whatever stands around them.

Makers put a prefix in front of their keys so that filters can find them. One pass over the long
runs of letters and digits serves all makers; it costs the same for one prefix as for a hundred.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .lazy import Pattern
from .spans import Span

_PREFIXES: Final = {
    "anthropic-key": "sk-ant-",
    "openai-key": "sk-proj- sk-svcacct- sk-admin-",
    "api-key": "sk-or- nvapi- xai- gsk_ pplx- tvly- r8_ lsv2_ NRAK- phx_ PMAK- glsa_ xkeysib-",
    "stripe-key": "sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
    "github-token": "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
    "gitlab-token": (
        "glpat- gldt- glrt- glrtr- glptt- glcbt- glsoat- glft- glagent- glimt- gloas- GR1348941"
    ),
    "slack-token": "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
    "pypi-token": "pypi-AgE",
    "rubygems-token": "rubygems_",
    "google-key": "AIza",
    "google-token": "ya29. 1//0",
    "google-secret": "GOCSPX-",
    "digitalocean-token": "dop_v1_ doo_v1_ dor_v1_",
    "shopify-token": "shpat_ shpss_ shpca_ shppa_",
    "square-token": "sq0atp- sq0csp-",
    "linear-key": "lin_api_ lin_oauth_",
    "notion-token": "ntn_",
    "figma-token": "figd_",
    "vault-token": "hvs. hvb. hvr.",
    "sentry-token": "sntrys_ sntryu_",
    "docker-token": "dckr_pat_ dckr_oat_",
    "atlassian-token": "ATATT3 ATCTT3",
    "supabase-key": "sbp_ sb_secret_",
    "tailscale-key": "tskey-",
    "age-key": "AGE-SECRET-KEY-1",
    "1password-token": "ops_eyJ",
    "terraform-token": "atlasv1.",
    "fly-token": "fm2_ fo1_",
    "alibaba-key": "LTAI",
}
"""Enough by themselves: 12 further characters make a secret, save for a row of x."""

_AMBIGUOUS: Final = {
    "api-key": r"sk-[\w-]*?(?=\w*[0-9A-Z])[A-Za-z0-9]{12}[\w-]*",
    "npm-token": r"npm_(?=[A-Za-z]*[0-9A-Z])[A-Za-z0-9]{20,}",
    "pypi-token": r"pypi-(?=[\w-]*[0-9A-Z])[\w-]{24,}",
    "huggingface-token": r"(?:hf|api_org)_(?=[A-Za-z]*[0-9A-Z])[A-Za-z0-9]{20,}",
    "sendgrid-key": r"SG\.[\w-]{16,}(?:\.[\w-]{16,})?",
    "mailgun-key": r"key-[0-9a-f]{28,}",
    "notion-token": r"secret_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,}",
    "databricks-token": r"dapi[0-9a-f]{28,}",
    "pulumi-token": r"pul-[0-9a-f]{28,}",
    "bitbucket-token": r"ATBB[A-Za-z0-9]{24,}",
    "twilio-key": r"SK[0-9a-f]{32}",
    "grafana-token": r"glc_(?=[A-Za-z]*[0-9A-Z])[A-Za-z0-9+/]{24,}",
    "facebook-token": r"EAA[A-Za-z0-9]{40,}",
    "aws-key-id": r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{14,}",
}

_TAIL: Final = r"(?:\.[A-Za-z0-9_-]{8,})*=*"


def _compile_makers() -> dict[str, Pattern]:
    makers = {
        kind: rf"(?:{'|'.join(map(re.escape, prefixes.split()))})(?![xX]{{8}})[\w-]{{12,}}"
        for kind, prefixes in _PREFIXES.items()
    }
    for kind, pattern in _AMBIGUOUS.items():
        makers[kind] = f"{makers[kind]}|{pattern}" if kind in makers else pattern
    return {kind: Pattern(f"(?:{either}){_TAIL}", re.ASCII) for kind, either in makers.items()}


_MAKERS: Final = _compile_makers()
_BEGINNINGS: Final = (
    *(prefix for prefixes in _PREFIXES.values() for prefix in prefixes.split()),
    *("sk-", "npm_", "pypi-", "hf_", "api_org_", "SG.", "key-", "secret_", "dapi", "pul-"),
    *("ATBB", "SK", "glc_", "EAA", "AKIA", "ASIA", "ABIA", "ACCA"),
)
_BEGINNING_OF: Final = Pattern(r"[A-Za-z0-9]+")
_MAILCHIMP: Final = Pattern(r"[0-9a-f]{32}-us[0-9]{1,2}\b")
_RUN: Final = Pattern(r"[A-Za-z0-9_\-]{15,}")
_DOTTED: Final = Pattern(r"(?:ya29|SG|hv[sbr]|atlasv1|xoxe|1//0)\.?\Z")
_HINT: Final = Pattern(r"[0-9]|A[KSBC][ICA]A|(?:[a-z][A-Z].{0,12}?){3}[a-z][A-Z]")
_JWT_TAIL: Final = Pattern(
    r"\.(?:ey[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+"
    r"(?:\.[A-Za-z0-9_-]+)?)"
)
_DISCORD_TAIL: Final = Pattern(r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}")
_DISCORD_HEAD: Final = Pattern(r"(?<![A-Za-z0-9])[MNO][A-Za-z0-9_-]{22,28}\Z")
_TELEGRAM_ID: Final = Pattern(r"(?<![0-9])[0-9]{8,10}:\Z")
_AWS_SECRET: Final = Pattern(
    r"(?<![A-Za-z0-9/+])(?=[^\s]{0,39}[A-Z])(?=[^\s]{0,39}[a-z])(?=[^\s]{0,39}[0-9])"
    r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
)
_WEBHOOK: Final = Pattern(
    r"(?:hooks\.slack\.com/(?:services|workflows|triggers)"
    r"|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks"
    r"|webhook\.office\.com/webhookb2)/([A-Za-z0-9_\-/@.]{12,})"
)
_HASH: Final = Pattern(
    r"\$(?:2[abxy]|5|6|y|7|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]*)\$[A-Za-z0-9./$=,+\-]{16,}"
)


def find_by_shape(text: str) -> Iterator[Span]:
    """Keys and tokens of known makers, JSON Web Tokens, webhook addresses, password hashes."""
    done = 0
    for run in _RUN.finditer(text):
        start, end = run.span()
        if end <= done or not _HINT.search(text, start, end):
            continue
        for span in _in_run(text, start, end):
            done = max(done, span.end)
            yield span
    if "webhook" in text or "hooks.slack" in text:
        for match in _WEBHOOK.finditer(text):
            yield Span(*match.span(1), "webhook")
    if "$" in text:
        for match in _HASH.finditer(text):
            yield Span(*match.span(), "password-hash")


def _in_run(text: str, start: int, end: int) -> Iterator[Span]:
    following = text[end : end + 1]
    if following == ".":
        header = text.find("eyJ", start, end)
        if header >= 0 and (tail := _JWT_TAIL.match(text, end)):
            yield Span(header, tail.end(), "jwt")
            return
        tail = _DISCORD_TAIL.match(text, end)
        if tail and (head := _DISCORD_HEAD.search(text, max(start, end - 30), end)):
            yield Span(head.start(), tail.end(), "discord-token")
            return
    before = text[max(0, start - 12) : start]
    if end - start == 35 and text.startswith("AA", start) and _TELEGRAM_ID.search(before):
        yield Span(start - len(before.lstrip("\n")), end, "telegram-token")
        return
    dotted = _DOTTED.search(before)
    at = start - (len(before) - dotted.start()) if dotted else start
    for word in _BEGINNING_OF.finditer(text, at, end):
        if word.start() < at or not text.startswith(_BEGINNINGS, word.start()):
            continue
        for span in _of_maker(text, word.start()):
            at = max(at, span.end)
            yield span
        if at >= end:
            return
    if text.find("-us", end - 5, end) >= 0 and (match := _MAILCHIMP.match(text, start)):
        yield Span(*match.span(), "mailchimp-key")


def _of_maker(text: str, at: int) -> Iterator[Span]:
    for kind, pattern in _MAKERS.items():
        if match := pattern.match(text, at):
            yield Span(*match.span(), kind)
            if kind == "aws-key-id" and (
                secret := _AWS_SECRET.search(text, match.end(), match.end() + 300)
            ):
                yield Span(*secret.span(), "aws-secret")
            return
