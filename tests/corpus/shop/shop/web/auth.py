"""Who is asking: sessions and passwords."""

import hashlib
import secrets

_SESSIONS: dict[str, str] = {}


def hash_password(password: str, salt: bytes) -> str:
    """A slow hash, so that guessing takes long."""
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1).hex()


def log_in(user: str, password: str, users: dict) -> str:
    """Check the credentials and open a session; returns its token."""
    salt, expected = users[user]
    if not secrets.compare_digest(hash_password(password, salt), expected):
        raise PermissionError("wrong user name or password")
    token = secrets.token_urlsafe()
    _SESSIONS[token] = user
    return token


def log_out(token: str) -> None:
    _SESSIONS.pop(token, None)
