"""What secrets look like: tokens by the form that their issuers publish, values by their name.

A rule is tried only on lines that hold one of its hints, and masks its group `v`. The forms
are those of the issuers' own documentation.
"""

from typing import NamedTuple

_BEFORE, _AFTER = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9_-])"
_START, _END = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"


class SecretRule(NamedTuple):
    """A form, and texts of which one is in everything that has it."""

    hints: tuple[bytes, ...]
    form: bytes  # an expression; compiling all of them takes longer than most files need


def _token(hints: str, form: str, *, before: str = _START, after: str = _END) -> SecretRule:
    whole = f"{before}(?P<v>{form}){after}"
    return SecretRule(tuple(hint.encode() for hint in hints.split()), whole.encode())


def _value(hints: str, form: str) -> SecretRule:
    """A value after something that says what it is; the form has the group itself."""
    return SecretRule(tuple(hint.encode() for hint in hints.split()), form.encode())


TOKENS = (
    # clouds
    _token("AKIA ASIA ABIA ACCA", r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}"),
    _token("ABSK", r"ABSK[A-Za-z0-9+/]{100,270}={0,2}", after=""),
    _token("AIza", r"AIza[A-Za-z0-9_-]{35}", before=_BEFORE, after=_AFTER),
    _token("ya29.", r"ya29\.[A-Za-z0-9_-]{20,2000}", before=_BEFORE, after=""),
    _token("1//0", r"1//0[A-Za-z0-9_-]{40,250}", before=_BEFORE, after=_AFTER),
    _token("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}", after=_AFTER),
    _value("AccountKey", r"AccountKey\s{0,3}=\s{0,3}(?P<v>[A-Za-z0-9+/]{20,120}={0,2})"),
    _value("SharedAccessKey", r"SharedAccessKey\s{0,3}=\s{0,3}(?P<v>[A-Za-z0-9+/]{20,120}={0,2})"),
    _value("sig=", r"[?&;]sig=(?P<v>[A-Za-z0-9%+/]{30,120}=?)"),
    _token("8Q~", r"[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,34}", after=""),
    _token("AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    _token("dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _token("HRKU-", r"HRKU-[A-Za-z0-9_-]{36,64}", after=_AFTER),
    _token("fm1 fm2_", r"fm[12][ar]?_[A-Za-z0-9+/=_-]{100,4000}", after=""),
    _token("hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,300}", after=_AFTER),
    _token(".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}", after=""),
    _token("dapi", r"dapi[a-f0-9]{32}(?:-\d)?"),
    _token("pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}", after=""),
    _token("pul-", r"pul-[a-f0-9]{40}"),
    _token("tskey-", r"tskey-[a-z]{1,12}-[A-Za-z0-9_-]{20,80}", after=_AFTER),
    # code hosts and package registries
    _token("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _token("github_pat_", r"github_pat_[A-Za-z0-9_]{20,120}"),
    _token(
        "glpat- gldt- glrt- glptt- glft- glimt- glagent- glsoat- gloas- glcbt-",
        r"gl(?:pat|dt|rt|ptt|ft|imt|agent|soat|oas|cbt)-[A-Za-z0-9_.-]{20,300}",
        after="",
    ),
    _token("GR1348941", r"GR1348941[A-Za-z0-9_-]{20}", after=_AFTER),
    _token("npm_", r"npm_[A-Za-z0-9]{36}"),
    _token("pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,1000}", after=""),
    _token("rubygems_", r"rubygems_[a-f0-9]{48}"),
    _token("cio", r"cio[A-Za-z0-9]{32}"),
    _token("oy2", r"oy2[a-z0-9]{43}"),
    _token("CLOJARS_", r"CLOJARS_[a-z0-9]{60}"),
    _token("dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40}", after=_AFTER),
    # messages and mail
    _token("xox", r"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}", after=""),
    _token("xapp-", r"xapp-\d-[A-Z0-9]{8,14}-\d{10,14}-[a-f0-9]{40,80}"),
    _value(
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<v>[A-Za-z0-9_/+-]{16,160})",
    ),
    _value(
        "discord",
        r"discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/(?P<v>\d{15,22}/[A-Za-z0-9_-]{40,90})",
    ),
    _value("webhook.office.com", r"webhook\.office\.com/webhookb2/(?P<v>[A-Za-z0-9@/-]{40,200})"),
    _token(
        "oken OKEN iscord bot Bot BOT",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}",
        before=_BEFORE,
        after=_AFTER,
    ),
    _token(":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}", after=_AFTER),
    _token("SG.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", after=_AFTER),
    _token("key-", r"key-[a-f0-9]{32}", before=_BEFORE),
    _token("-us", r"[a-f0-9]{32}-us\d{1,2}"),
    _token("xkeysib- xsmtpsib-", r"x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _token("SK", r"SK[a-f0-9]{32}"),
    # payment and shops
    _token("_live_ _test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}"),
    _token("whsec_", r"whsec_[A-Za-z0-9+/]{24,80}={0,2}", after=""),
    _token("shp", r"shp(?:at|ca|pa|ss|ua|ka)_[a-fA-F0-9]{32}"),
    _token("EAAA sq0", r"(?:EAAA[A-Za-z0-9_-]{60}|sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,43})"),
    # models
    _token("sk-", r"sk-(?:[a-z]{2,8}-){0,2}[A-Za-z0-9_-]{20,250}", before=_BEFORE, after=""),
    _token("gsk_", r"gsk_[A-Za-z0-9]{48,56}"),
    _token("xai-", r"xai-[A-Za-z0-9]{70,90}", before=_BEFORE),
    _token("pplx-", r"pplx-[A-Za-z0-9]{40,60}", before=_BEFORE),
    _token("r8_", r"r8_[A-Za-z0-9]{37}"),
    _token("hf_ api_org_", r"(?:hf|api_org)_[A-Za-z0-9]{30,40}"),
    # tools
    _token("PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("NRAK- NRAA- NRRA- NRII-", r"NR(?:AK|AA|RA|II)-[A-Za-z0-9_-]{20,40}", after=_AFTER),
    _token("glsa_ glc_", r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})"),
    _token("sntrys_ sntryu_", r"sntry[su]_[A-Za-z0-9+/=_-]{60,400}", after=""),
    _token("lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
    _token("ntn_", r"ntn_[A-Za-z0-9]{40,50}"),
    _token("figd_ figo_ figu_ figr_", r"fig[dour]_[A-Za-z0-9_-]{40,50}", after=_AFTER),
    _token("ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=-]{60,300}", after=""),
    _token("sbp_ sb_secret_", r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{25,60})", after=""),
    _token("ops_eyJ", r"ops_eyJ[A-Za-z0-9_-]{200,1200}={0,2}", after=""),
    _token("AGE-SECRET-KEY-", r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}"),
    _token(
        "eyJ", r"eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{0,2000}", after=""
    ),
    # what stands around them
    _value(
        "://",
        r"://[^\s:/@\"'<>]{0,200}:(?P<v>(?![$%{<*])[^\s/@\"'<>{}]{3,2000})@",
    ),
    _value(
        "oken= key= KEY= ecret= assword= wd= ignature= OKEN=",
        r"(?i)[?&](?:access_?token|id_token|refresh_token|auth_?token|token|api_?key|secret"
        r"|client_secret|password|passwd|pwd|signature|x-amz-signature|x-amz-security-token)"
        r"=(?P<v>[A-Za-z0-9%_.~+/-]{6,2000})",
    ),
    _value(
        "uthorization UTHORIZATION",
        r"(?i)authorization[\"']?\s{0,4}[:=,]\s{0,4}[\"'`f]{0,3}"
        r"(?:bearer|basic|token|apikey|digest|negotiate|bot)\s{1,4}"
        r"(?P<v>(?![${<%])[A-Za-z0-9._~+/=:-]{6,4000})",
    ),
    _value(
        "earer ",
        r"(?i)(?:^|[\"'`= :])bearer\s{1,4}(?P<v>(?=[A-Za-z._~+/=-]{0,200}\d)"
        r"[A-Za-z0-9._~+/-]{12,4000}=*)",
    ),
    _value(
        "curl wget http",
        r"(?:\s-u\s{0,4}|\s--user[ =]|\s--proxy-user[ =]|\s--password[ =])"
        r"[\"']?[^\s:\"'$]{1,80}:(?P<v>(?![$<{])[^\s\"']{2,200})",
    ),
    _value(
        "_auth _password",
        r"(?<![A-Za-z0-9_.])_(?:authToken|auth|password)\s{0,4}=\s{0,4}"
        r"[\"']?(?P<v>(?!\$)[^\s\"'${}()]{4,2000})",
    ),
    _value(
        '"auth" "identitytoken" "registrytoken"',
        r"\"(?:auth|identitytoken|registrytoken)\"\s{0,4}:\s{0,4}"
        r"\"(?P<v>[A-Za-z0-9+/_.-]{8,4000}={0,2})\"",
    ),
    _value(
        "</",
        r"(?i)<(?:[a-z0-9_.:-]{0,40}(?:password|passwd|secret|token|apikey|api-key|passphrase))"
        r"(?:\s[^<>]{0,200})?>(?P<v>(?![\s${<])[^<>]{3,400})</",
    ),
    _value(
        "assword wd=",
        r"(?i)[;\"' ?&](?:password|pwd)\s{0,4}=\s{0,4}(?P<v>(?![\"'${<%])[^;\"'\s]{3,200})(?=;)",
    ),
    _value(
        "password",
        r"\b(?:login|account)\s{1,8}\S{1,200}\s{1,8}password\s{1,8}(?P<v>[^\s:=({\[,]{3,200})",
    ),
)
"""Tried in every text."""

NAMES = (
    b"password", b"passwd", b"passphrase", b"passwort", b"pwd", b"pw", b"pass", b"secret",
    b"token", b"api_key", b"apikey", b"api-key", b"access_key", b"accesskey", b"access-key",
    b"private_key", b"privatekey", b"auth_key", b"authkey", b"account_key", b"accountkey",
    b"encryption_key", b"signing_key", b"master_key", b"secret_key", b"storage_key", b"credential",
    b"license_key", b"webhook_url", b"requirepass", b"masterauth",
)  # fmt: skip
"""Lower case; what is called so, or ends so, holds a secret."""

SHORT_NAMES = frozenset({b"pw", b"pwd", b"pass", b"credential"})
"""Also parts of other words: they have to begin a word."""

AFTER_NAME = (
    rb"(?i)(?:s|_?(?:key(?:_?base)?|value|hash|text|plain|prod|production|dev|test|live|main|old"
    rb"|new|default|admin|root|db|id|\d{1,3}))?(?:_?\d{1,3})?"
)
"""How a name may go on behind such a word."""

# A type may stand between: `password: str = "x"`.
QUOTED_VALUE = (
    rb"[\"'`\]]{0,2}(?:\s{0,9}[:?]{1,2}\s{0,9}[\w.\[\]<>| ]{1,40}(?==))?"
    rb"\s{0,9}(?P<by>=>|:=|=|:|,)\s{0,9}(?:[A-Za-z@$]{0,2})"
    rb"(?P<q>\"\"\"|[\"'`])(?P<v>(?:(?!(?P=q))[^\n]){4,4000})(?P=q)"
)
BARE_VALUE = (
    rb"[\"']?[ \t]{0,9}[:=][ \t]{0,20}"
    rb"(?P<v>(?![\s\"'`$<{*&!|>\[(%])[^\s#,;][^\n]{0,4000}?)(?=\s{1,40}[#;]|;?\s*$)"
)
SPACED_VALUE = rb"(?m)[ \t]{1,9}(?P<v>[^\s$=][^\n]{0,4000}?)(?=\s*$)"
"""`ENV PASSWORD x`, in lines that begin like this."""
SPACED_LINE = rb"(?i)[ \t]*(?:ENV|setenv|requirepass|masterauth)\b[^=\n]*$"
BLOCK_VALUE = rb"[\"']?\s{0,9}:\s{0,9}[|>][+-]?\d?\s*$"

HARMLESS = (
    rb"(?i)(?:[\w.$>:-]+\(.*\)?;?|\w+ = .*"
    rb"|true|false|yes|no|on|off|none|null|nil|undefined|required|optional|string|str|text|int"
    rb"|integer|number|bool|boolean|object|array|any|bytes|char|varchar|hidden|masked_*|redacted"
    rb"|pass(?:word|wd)?\d?|new_?password\d?|old_?password|secret|token|changeme|change-me|example"
    rb"|[~^]?\d+\.\d+\.\d+|your[-_ ].*|my[-_ ]?(?:password|secret|token)|enter .*|invalid.*"
    rb"|x+|\*+|\.+|-+|<.*>|\[.*\]"
    rb"|\{.*\}|\$.*|%.*|@.*)"
)
"""Values that say nothing: types, placeholders, references to what holds the value."""

REFERENCE = (
    rb"(?:process\.env|os\.environ|env\.|getenv|ENV\[|vars?\.|secrets?\.|config\.|self\.|this\.)"
)
PROSE = rb"[A-Z][a-z]+(?: [A-Za-z'-]+){1,40}[.!?:]?|\S+(?: [a-z'-]+){4,60}[.!?:]"
"""Sentences and labels: `password: "Enter your password"`."""
RANDOM = (
    rb"(?=(?:[^0-9\n]{0,200}[0-9]){3})(?=.{0,200}[A-Za-z])[^\s]{8,}|[^\s]{24,}"
    rb"|(?:[^\W\d]+\d+){2,}[^\W\d]*"
)
"""What may be a token: digits among letters, or long."""
CODE_LIKE = rb"[\w.$>-]*(?:\(|\[)|\w+\.\w+\.\w+|[A-Za-z_][\w-]*(?:[.:/][\w.:/-]+)+"
"""A call, an index, a path or a dotted name, which names where the value comes from."""
