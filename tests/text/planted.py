"""Made-up secrets of many kinds, each in a line of a file as people leave them there."""

import base64
import random
import string
from typing import NamedTuple

_ALNUM = string.ascii_letters + string.digits
_URL = _ALNUM + "_-"
_HEX = "0123456789abcdef"
_DICE = random.Random(29)  # noqa: S311  # made-up values


class Planted(NamedTuple):
    """A line in a file, with `@@` where the secret stands."""

    kind: str
    path: str
    line: str
    secret: str


def _made(length: int, alphabet: str = _ALNUM) -> str:
    text = "".join(_DICE.choice(alphabet) for _ in range(length - 1))
    return text + _DICE.choice(string.digits if alphabet == _ALNUM else alphabet)


def _jwt() -> str:
    parts = ('{"alg":"HS256","typ":"JWT"}', '{"sub":"48213","name":"Q","iat":1716239022}')
    encoded = [base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, _made(43, _URL)])


_WORD = "Tr0ub4dorXk9"
_BASIC = base64.b64encode(b"joe:hunter2hunter2").decode()

_TABLE: list[tuple[str, str, str, str]] = [
    # what the audit found in clear
    (".env", ".env", "DB_PASSWORD=@@", "supersecretvalue"),
    ("yaml", "conf.yml", "password: @@", "yamlsecret123"),
    ("yaml nested", "deploy.yaml", "  token: @@", _made(20)),
    ("ini", "app.ini", "password = @@", "inipassphrase"),
    ("properties", "app.properties", "spring.datasource.password=@@", _WORD + "p"),
    ("docker env", "Dockerfile", "ENV DB_PASSWORD=@@", _WORD + "d"),
    ("docker env spaced", "old/Dockerfile", "ENV DB_PASSWORD @@", _WORD + "e"),
    ("shell export", "run.sh", "export API_TOKEN=@@", _made(18)),
    ("netrc", ".netrc", "machine h.example login joe password @@", _WORD + "n"),
    ("npmrc", ".npmrc", "//registry.example/:_authToken=@@", _made(36)),
    ("curl -u", "get.sh", "curl -u joe:@@ https://h.example/x", _WORD + "c"),
    ("bearer header", "call.sh", 'curl -H "Authorization: Bearer @@" https://h', _made(32)),
    ("token in url", "u.py", 'u = "https://h.example/x?token=@@"', _made(24)),
    (
        "slack webhook",
        "hook.py",
        'u = "https://hooks.slack.com/services/@@"',
        f"T{_made(8)}/B{_made(8)}/{_made(24)}",
    ),
    ("aws secret", "aws.py", 'aws_secret_access_key = "@@"', _made(40, _ALNUM + "+/")),
    ("aws secret bare", "aws.cfg", "aws_secret_access_key = @@", _made(40, _ALNUM + "+/")),
    ("hugging face", "hf.py", 't = "@@"', "hf_" + _made(34, string.ascii_letters)),
    (
        "azure account key",
        "az.cs",
        '  var c = "AccountName=x;AccountKey=@@;EndpointSuffix=core";',
        _made(86) + "==",
    ),
    ("pw =", "pw.py", 'pw = "@@"', "hunter2"),
    ("pw = bare", "pw.ini", "pw = @@", "hunter22"),
    ("quoted with spaces", "phrase.py", 'password = "@@"', "correct horse battery staple"),
    ("stripe live", "stripe.py", 'k = "@@"', "sk_" + "live_" + _made(24)),
    ("github app", "gh.md", "use @@ here", "ghs_" + _made(36)),
    ("user in url", "pg.py", 'u = "postgres://joe:@@@h.example:5432/db"', _WORD + "u"),
    ("user in bare url", "x.env", "DATABASE_URL=postgres://joe:@@@h.example/db", _WORD + "v"),
    ("json", "config.json", '{"password": "@@"}', "jsonpassword1"),
    ("toml", "config.toml", 'password = "@@"', "tomlpassword1"),
    # forty more
    ("aws id", "a1.py", 'k = "@@"', "AKIA" + _made(16, string.ascii_uppercase + "234567")),
    ("github classic", "a2.py", 'k = "@@"', "ghp_" + _made(36)),
    ("github fine", "a3.py", 'k = "@@"', f"github_pat_{_made(22)}_{_made(59)}"),
    ("gitlab", "a4.py", 'k = "@@"', "glpat-" + _made(20, _URL)),
    (
        "slack bot",
        "a5.py",
        'k = "@@"',
        f"xoxb-{_made(12, string.digits)}-{_made(12, string.digits)}-{_made(24)}",
    ),
    ("google api", "a6.js", 'k = "@@"', "AIza" + _made(35, _URL)),
    ("jwt", "a7.py", 'k = "@@"', _jwt()),
    ("npm", "a8.md", "use @@ here", "npm_" + _made(36)),
    ("pypi", "a9.md", "use @@ here", "pypi-AgEIcHlwaS5vcmc" + _made(150, _URL)),
    ("sendgrid", "b1.md", "use @@ here", f"SG.{_made(22, _URL)}.{_made(43, _URL)}"),
    ("twilio", "b2.md", "use @@ here", "SK" + _made(32, _HEX)),
    ("twilio token", "b3.py", 'twilio_auth_token = "@@"', _made(32, _HEX)),
    (
        "discord bot",
        "b4.md",
        "bot token @@ here",
        f"M{_made(25)}.{_made(6, _ALNUM)}.{_made(38, _ALNUM)}",
    ),
    ("telegram", "b5.md", "use @@ here", _made(10, "123456789") + ":AA" + _made(33, _ALNUM)),
    ("docker auth", "b6.json", '{"auths": {"h": {"auth": "@@"}}}', _BASIC),
    ("basic header", "b7.http", "Authorization: Basic @@", _BASIC[::-1]),
    ("jdbc", "b8.properties", "url=jdbc:sqlserver://h;user=sa;password=@@;", _WORD + "j"),
    ("openai", "b9.md", "use @@ here", f"sk-proj-{_made(70)}T3BlbkFJ{_made(70)}"),
    ("anthropic", "c1.md", "use @@ here", f"sk-ant-api03-{_made(93, _URL)}AA"),
    ("google oauth", "c2.md", "use @@ here", "ya29." + _made(80, _URL)),
    ("heroku", "c3.py", 'heroku_api_key = "@@"', "0b7c1d5e-52a4-4c3c-9d0e-8f2a7b6c4d12"),
    ("vault", "c4.md", "use @@ here", "hvs." + _made(95, _URL)),
    ("digital ocean", "c5.md", "use @@ here", "dop_v1_" + _made(64, _HEX)),
    ("shopify", "c6.md", "use @@ here", "shpat_" + _made(32, _HEX)),
    ("rubygems", "c7.md", "use @@ here", "rubygems_" + _made(48, _HEX)),
    ("docker hub", "c8.md", "use @@ here", "dckr_pat_" + _made(27, _ALNUM)),
    ("databricks", "c9.md", "use @@ here", "dapi" + _made(32, _HEX)),
    ("terraform", "d1.md", "use @@ here", f"{_made(14)}.atlasv1.{_made(64)}"),
    ("mailgun", "d2.md", "use @@ here", "key-" + _made(32, _HEX)),
    ("mailchimp", "d3.md", "use @@ here", _made(32, _HEX) + "-us12"),
    ("postman", "d4.md", "use @@ here", f"PMAK-{_made(24, _HEX)}-{_made(34, _HEX)}"),
    ("new relic", "d5.md", "use @@ here", "NRAK-" + _made(27)),
    ("grafana", "d6.md", "use @@ here", f"glsa_{_made(32)}_{_made(8, _HEX)}"),
    ("linear", "d7.md", "use @@ here", "lin_api_" + _made(40)),
    ("notion", "d8.md", "use @@ here", "ntn_" + _made(44)),
    ("figma", "d9.md", "use @@ here", "figd_" + _made(40, _ALNUM)),
    ("atlassian", "e1.md", "use @@ here", "ATATT3" + _made(80)),
    ("supabase", "e2.md", "use @@ here", "sbp_" + _made(40, _HEX)),
    ("pulumi", "e3.md", "use @@ here", "pul-" + _made(40, _HEX)),
    ("tailscale", "e4.md", "use @@ here", "tskey-auth-" + _made(30, _ALNUM)),
    ("age", "e5.md", "use @@ here", "AGE-SECRET-KEY-1" + _made(58, string.ascii_uppercase)),
    ("webhook secret", "e6.md", "use @@ here", "whsec_" + _made(32)),
    ("square", "e7.md", "use @@ here", "sq0atp-" + _made(22, _ALNUM)),
    ("azure sas", "e8.md", "https://h/x?sv=1&sig=@@", _made(43) + "%3D"),
    ("shared access key", "e9.cs", '  var c = "SharedAccessKey=@@";', _made(43) + "="),
    ("entra", "f1.md", "use @@ here", "abc8Q~" + _made(34)),
    ("xml", "f2.xml", "<server><password>@@</password></server>", "mvnpassword"),
    ("php", "f3.php", "<?php $config['db_password'] = '@@';", "phpsecretphp"),
    ("ruby hash", "f4.rb", "connect(password: '@@')", "rubysecretrb"),
    ("ruby rocket", "f5.rb", "connect(:password => '@@')", "rocketsecret"),
    ("go", "f6.go", 'var dbPassword = "@@"', "gosecretgo"),
    ("java", "f7.java", 'class A { String apiKey = "@@"; }', _made(20)),
    ("typescript", "f8.ts", "const clientSecret: string = '@@';", _made(24)),
    ("compose list", "f9.yml", "  - MYSQL_ROOT_PASSWORD=@@", "composepass"),
    ("helm", "g1.yaml", "adminPassword: @@", "helmadminpass"),
    ("django", "g2.py", "SECRET_KEY = '@@'", "django-insecure-" + _made(30)),
    ("redis conf", "g3.conf", "requirepass @@", "redispassword"),
    ("pypirc", ".pypirc", "password = @@", "pypircpassword"),
    ("env local", ".env.local", "STRIPE=@@", "anyvalueatall"),
    ("pgpass", ".pgpass", "h:5432:db:joe:@@", "pgpassword"),
    ("git credentials", ".git-credentials", "https://joe:@@@h.example", "gitpassword"),
    ("connection string", "g4.json", '{"c": "Server=h;User=sa;Password=@@;"}', "adopassword"),
]  # fmt: skip

PLANTED = [Planted(*row) for row in _TABLE]
_PEM = "\n".join(f"secretline{number}{_made(40)}" for number in range(4))
KEYS = {
    "id_rsa": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_PEM}\n-----END OPENSSH PRIVATE KEY-----\n",
    "server.pem": f"-----BEGIN RSA PRIVATE KEY-----\n{_PEM}\n-----END RSA PRIVATE KEY-----\n",
    "key.py": f'KEY = """-----BEGIN PRIVATE KEY-----\n{_PEM}\n-----END PRIVATE KEY-----"""\n',
    "docs/key.md": "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n"
    f"{_PEM}\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\n",
    "k8s.yaml": "tls_private_key: |\n  " + _PEM.replace("\n", "\n  ") + "\nnext: 1\n",
    "one.json": '{"key": "-----BEGIN PRIVATE KEY-----\\n'
    + _PEM.replace("\n", "\\n")
    + '\\n-----END PRIVATE KEY-----\\n"}\n',
}
"""Private keys: every line of a body is a secret."""
BODY = _PEM.split("\n")
