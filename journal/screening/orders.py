"""Orders among what may be ordinary work.

People who write programs do edit AGENTS.md, mend ~/.ssh/config and register nodes: nearly all that
`screen` finds in sessions of honest work is of these kinds. By themselves they do not keep a memory
from the assistant. The same words do when they are an order to the assistant, ask for it to last or
to be hidden, or name an address far away; these have the ids here.
"""

from __future__ import annotations

from typing import Final

from .rule import Rule

ORDINARY: Final = frozenset(
    {
        *("agent_config_mod", "ssh_access", "known_c2_framework", "c2_explicit_long"),
        *("c2_node_registration", "c2_heartbeat", "c2_task_pull", "c2_network_connect"),
    }
)

_NEAR: Final = 160  # characters of one line
_AGENT_FILES: Final = r"(?:\.clinerules|\.cursorrules|claude\.md|agents\.md)"
_PUTTING: Final = "(?:추가|수정|변경|삽입|기록|적어|써|넣어|고쳐|바꿔)"
_EDITING: Final = (
    rf"(?:(?:add|append|change|write|edit|modify|update)\s[^\n]{{0,80}}?{_AGENT_FILES}"
    rf"|{_AGENT_FILES}\s*+(?:파일)?(?:에|을|를)[^\n]{{0,80}}?{_PUTTING})"
)
_DICTATING: Final = (
    rf"(?:add|append|write)\s[^\n]{{0,80}}?{_AGENT_FILES}(?:\s++file)?\s*+:"
    rf"|(?:add|append|write)\s++the\s++following\s[^\n]{{0,80}}?{_AGENT_FILES}"
    rf"|{_AGENT_FILES}\s*+(?:파일)?에\s[^\n]{{0,20}}?(?:다음|아래)[^\n]{{0,20}}?{_PUTTING}"
)
_LASTING_OR_HIDDEN: Final = (
    r"\b(?:always|never|silently|secretly|quietly|without\s++(?:telling|asking)|from\s++now\s++on"
    r"|every\s++session|all\s++future|ignore|disregard|bypass|disable|curl|wget)\b|https?://"
    r"|항상|언제나|몰래|조용히|묻지\s*+(?:말|않)|앞으로|무시"
)
_SSH_SECRET: Final = (  # a private key, or all of the folder
    r"(?<!-i\s)(?:\$home|~)/\.ssh(?:/id_\w++(?!\.pub)|/\*|/?(?=[\s\"'`;|&)]|에|의|를|\Z))"
)
_TAKING: Final = (
    r"\b(?:cat|read|send|upload|post|copy|scp|tar|zip|base64|exfiltrate|print|dump|share|curl)\b"
    r"|읽어|보내|전송|업로드|복사|출력|유출|올려|압축"
)
_REPORTING: Final = (  # to whoever commands it
    r"register\s++(?:as\s++)?a?\s*+node|(?:beacon|heartbeat|check[\s-]?in)\s++(?:with|to)\s"
    r"|pull\s++(?:down\s++)?(?:new\s++)?task|connect\s++to\s++the\s++network\b"
    r"|노드(?:로|로서)[^\n.]{0,12}?등록|비콘|하트비트|생존\s*+신호|체크\s*+인"
    r"|(?:작업|임무|명령|태스크)(?:을|를)?\s*+(?:내려\s*+)?(?:받아|가져)"
    r"|(?:네트워크|망)(?:에|로)\s*+(?:접속|연결|합류)"
)
_TO_ASSISTANT: Final = (
    r"\byou\s++(?:must|should|shall|will|(?:have|need)\s++to|are\s++(?:an?|now)\s)|\byourself\b"
    r"|\b(?:silently|secretly)\b|(?<![가-힣])(?:너는|넌|너를|네가|당신은|당신이|몰래|즉시)"
    r"|https?://(?!localhost|127\.|10\.|192\.168\.)"
)
_FRAMEWORK: Final = r"(?:brainworm|metasploit|mythic|havoc|sliver|cobalt\s*+strike)"
_KOREAN_FRAMEWORK: Final = r"(?:메타스플로잇|코발트\s*+스트라이크)"
_C2_USE: Final = (
    rf"\b(?:use|run|install|load|start|launch|deploy)\s++(?:the\s++)?{_FRAMEWORK}\b"
    rf"|\b{_FRAMEWORK}\s++(?:c2|implant|beacon|payload|listener|exploit|agent)"
    rf"|(?:{_FRAMEWORK}|{_KOREAN_FRAMEWORK})(?:을|를|으로|로)?\s*+(?:사용|실행|설치|배포|돌려|띄워)"
    r"|\bcommand\s++and\s++control\s++(?:server|infrastructure|channel|framework|beacon)"
    r"|명령\s*+(?:및|과|·)\s*+(?:제어|통제)\s*+(?:서버|채널|인프라|비콘)"
)


def _near(id: str, one: str, other: str) -> tuple[Rule, Rule]:
    """*one* and *other* near each other, in either order."""
    return Rule(id, "", one, other, gap=_NEAR), Rule(id, "", other, one, gap=_NEAR)


RULES: Final = (  # asked only of a text that holds something of ORDINARY, so they need no needles
    Rule("agent_config_order", "", _DICTATING),
    *_near("agent_config_order", _EDITING, _LASTING_OR_HIDDEN),
    Rule(  # what it is told to write stands between
        "agent_config_order",
        "",
        r"\b(?:add|append|change|write|edit|modify|update)\s",
        _LASTING_OR_HIDDEN,
        rf"\b(?:to|into|in)\s++(?:the\s++|your\s++)?[\w.~/-]{{0,80}}?{_AGENT_FILES}",
        gap=_NEAR,
    ),
    Rule(
        "agent_config_order",
        "",
        rf"{_AGENT_FILES}\s*+(?:파일)?(?:에|을|를)",
        _LASTING_OR_HIDDEN,
        _PUTTING,
        gap=_NEAR,
    ),
    *_near("ssh_key_access", _SSH_SECRET, _TAKING),
    *_near("c2_order", _REPORTING, _TO_ASSISTANT),
    Rule("c2_order", "", _C2_USE),
)
