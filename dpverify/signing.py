"""Files that only this user can have written: what is read back is what dpverify wrote, at that place.

Each file begins with a keyed digest of its own name and content; the key lies in the user's cache folder. A
folder that came with the work under review, or a file that somebody edited, moved or cut, is as good as none.
"""

from __future__ import annotations

import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from functools import lru_cache
from pathlib import Path


def cache_folder() -> Path:
    """The user's own folder, never that of the work under review."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dpverify"


def secret() -> bytes:
    """The key of this user's signatures, made at first use; if it cannot be, for this process alone."""
    return _secret(cache_folder())


@lru_cache(maxsize=8)
def _secret(folder: Path) -> bytes:
    path = folder / "key"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            handle, name = tempfile.mkstemp(dir=folder)  # readable by its owner alone
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
            with suppress(FileExistsError):
                os.link(name, path)  # never over a key that is there: two processes may begin at once
            os.unlink(name)
        if len(key := path.read_bytes()) == 32:
            return key
    return secrets.token_bytes(32)


def _signature(name: str, content: bytes, key: bytes) -> bytes:
    return hmac.new(key, name.encode() + b"\n" + content, "sha256").hexdigest().encode()


def write_signed(path: Path, name: str, content: bytes, key: bytes | None = None) -> None:
    """Write a file that holds `content` under that name, all of it or nothing; where there is no room, or no
    right to write, it is done without.
    """
    unfinished = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(_signature(name, content, key or secret()) + b"\n" + content)
        os.replace(unfinished, path)
    except OSError:
        if unfinished is not None:
            with suppress(OSError):
                os.unlink(unfinished)


def read_signed(path: Path, name: str, key: bytes | None = None) -> bytes | None:
    """The content that was written there under that name; None if there is none, or it is not believed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x"
    >>> write_signed(path, "x", b"content")
    >>> read_signed(path, "x"), read_signed(path, "y")
    (b'content', None)
    """
    try:
        signature, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if hmac.compare_digest(signature, _signature(name, content, key or secret())) else None
