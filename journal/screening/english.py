"""What is threatening in English, and in the languages of machines.

The ids and what they mean are Hermes' own (its memory guard, three scopes of 36 patterns), so that
findings can be compared. A comment may hold a threat of its own kind: see ``comments``.
"""

from __future__ import annotations

from typing import Final

from .rule import Rule

_GAP: Final = r"(?:\w++\s++){0,8}"
_LINE: Final = 2048  # how far apart two parts of a threat may stand
_VARIABLE: Final = r"\$\{?\w*(?:key|token|secret|password|credential|api)"
_SECRET_WORDS: Final = "key|token|secret|password|credential|api"
_EDIT: Final = r"(?:add\s+to|append|change|write|edit|modify|update)\s"
_EDIT_WORDS: Final = "add|append|change|write|edit|modify|update"

RULES: Final = (
    Rule(
        "prompt_injection",
        "ignore instructions all|prior|previous|above",
        rf"ignore\s++{_GAP}(?:all|prior|previous|above)\s++{_GAP}instructions",
    ),
    Rule(
        "prompt_injection",
        "ignore|disregard|forget everything|anything|whatever|what above|told",
        r"(?:ignore|disregard|forget)\s++(?:everything|anything|whatever|what)\s++(?:that\s++)?"
        r"(?:(?:is|was|stands|i|you)\s++)?(?:(?:written|said|were|was|have|been)\s++){0,3}(?:above|told)\b",
    ),
    Rule(
        "prompt_injection",
        "ignore|disregard|forget prior|previous|earlier|above rules|guidelines|orders|directions",
        r"(?:ignore|disregard|forget)\s++(?:all\s++)?(?:of\s++)?(?:the\s++|your\s++)?"
        r"(?:prior|previous|earlier|above)\s++(?:rules|guidelines|orders|directions)\b",
    ),
    Rule("sys_prompt_override", "system prompt override", r"system\s++prompt\s++override"),
    Rule(
        "sys_prompt_override", "system you must|shall", r"\bsystem\s*+:\s*+you\s++(?:must|shall)\b"
    ),
    Rule(
        "disregard_rules",
        "disregard rules|guidelines|instructions all|any|your",
        rf"disregard\s++{_GAP}(?:all|any|your)\s++{_GAP}(?:rules|guidelines|instructions)",
    ),
    Rule(
        "bypass_restrictions",
        "act have rules|limits|restrictions you as though|if",
        rf"act\s++as\s++(?:though|if)\s++{_GAP}you\s++{_GAP}(?:don['’]t\s++have|have\s++no)\s++"
        rf"{_GAP}(?:rules|limits|restrictions)",
    ),
    Rule(
        "html_comment_injection",
        "<!-- --> hidden|secret|system|override|ignore",
        r"<!--",
        r"(?=hidden|secret|system|override|ignore)",
        r"-->",
        gap=520,
        stop=">",
    ),
    Rule(
        "hidden_div",
        "div style display none",
        r"<\s*+div\s++style\s*+=\s*+[\"']",
        r"display\s*+:\s*+none",
        gap=_LINE,
        stop=">",
    ),
    Rule(
        "translate_execute",
        "translate into and run|eval|execute",
        r"translate\s",
        r"\binto\s",
        r"\band\s++(?:run|eval|execute)",
        gap=512,
    ),
    Rule("deception_hide", "not tell user", rf"do\s++not\s++{_GAP}tell\s++{_GAP}the\s++user"),
    Rule("exfil_curl", f"curl $ {_SECRET_WORDS}", r"curl\s", _VARIABLE, gap=_LINE),
    Rule("exfil_wget", f"wget $ {_SECRET_WORDS}", r"wget\s", _VARIABLE, gap=_LINE),
    Rule(
        "read_secrets",
        "cat credentials|.env|.netrc|.npmrc|.pgpass|.pypirc",
        r"cat\s",
        r"credentials|\.env|\.netrc|\.npmrc|\.pgpass|\.pypirc",
        gap=_LINE,
    ),
    Rule("role_hijack", "you are now the|an|a", rf"you\s++are\s++{_GAP}now\s++(?:the|an|a)\s"),
    Rule("role_pretend", "pretend be|you", rf"pretend\s++{_GAP}(?:to\s++be|you\s++are)\s"),
    Rule(
        "leak_system_prompt",
        "output prompt initial|system",
        rf"output\s++{_GAP}(?:initial|system)\s++prompt",
    ),
    Rule(
        "remove_filters",
        "without reply|answer|respond safety|filters|limitations|restrictions",
        rf"(?:reply|answer|respond)\s++without\s++{_GAP}"
        r"(?:safety|filters|limitations|restrictions)",
    ),
    Rule(
        "fake_update",
        "you have been to patched|upgraded|updated",
        rf"you\s++have\s++been\s++{_GAP}(?:patched|upgraded|updated)\s++to",
    ),
    Rule("identity_override", "name yourself", r"\bname\s++yourself\s++\w"),
    Rule("c2_node_registration", "register node", r"register\s++(?:as\s++)?a?\s*+node"),
    Rule(
        "c2_heartbeat",
        "beacon|heartbeat|check with|to",
        r"(?:beacon|heartbeat|check[\s-]?in)\s++(?:with|to)\s",
    ),
    Rule("c2_task_pull", "pull task", r"pull\s++(?:down\s++)?(?:new\s++)?task(?:s|ing)?\b"),
    Rule("c2_network_connect", "connect network", r"connect\s++to\s++the\s++network\b"),
    Rule(
        "forced_action",
        "you must beacon|report|connect|register",
        r"you\s++must\s++(?:\w++\s++){0,3}(?:beacon|report|connect|register)\b",
    ),
    Rule("anti_forensic_oneliner", "only use one", r"only\s++use\s++one[\s-]?liners?\b"),
    Rule(
        "anti_forensic_disk",
        "never disk write|create file|script",
        rf"never\s++{_GAP}(?:write|create)\s++{_GAP}(?:file|script)s?\s++{_GAP}disk",
    ),
    Rule(
        "env_var_unset_agent",
        "unset anthropic|openai|agent|hermes|codex|claude",
        r"unset\s++\w*(?:anthropic|openai|agent|hermes|codex|claude)",
    ),
    Rule(
        "known_c2_framework",
        "brainworm|metasploit|mythic|havoc|sliver|cobalt",
        r"\b(?:brainworm|metasploit|mythic|havoc|sliver|cobalt\s*+strike)\b",
    ),
    Rule("c2_explicit", "c2", r"\bc2\s++(?:beacon|infrastructure|channel|server)\b"),
    Rule("c2_explicit_long", "command and control", r"\bcommand\s++and\s++control\b"),
    Rule(
        "send_to_url",
        "http transmit|upload|post|send at|to",
        r"(?:transmit|upload|post|send)\s",
        r"\b(?:at|to)\s++https?://",
        gap=_LINE,
    ),
    Rule(
        "context_exfil",
        "share|print|output|include context|messages|history|conversation",
        rf"(?:share|print|output|include)\s++{_GAP}(?:(?:entire|full)\s++context"
        r"|previous\s++messages|chat\s++history|conversation)",
    ),
    Rule("ssh_backdoor", "authorized_keys", r"authorized_keys"),
    Rule("ssh_access", "/.ssh", r"(?:\$home|~)/\.ssh"),
    Rule("hermes_env", "/.hermes/.env", r"(?:\$home|~)/\.hermes/\.env"),
    Rule(
        "agent_config_mod",
        f".clinerules|.cursorrules|claude.md|agents.md {_EDIT_WORDS}",
        _EDIT,
        r"\.clinerules|\.cursorrules|claude\.md|agents\.md",
        gap=_LINE,
    ),
    Rule(
        "hermes_config_mod",
        f".hermes/soul.md|.hermes/config.yaml {_EDIT_WORDS}",
        _EDIT,
        r"\.hermes/(?:soul\.md|config\.yaml)",
        gap=_LINE,
    ),
    Rule(
        "hardcoded_secret",
        "password|secret|token|api \"|' :|=",
        r"(?:password|secret|token|api[_-]?key)\s*+[:=]\s*+[\"'][a-z0-9_+/=-]{20}",
    ),
)
