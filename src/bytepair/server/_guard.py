"""Who may ask: keys, names of the service, pages of other sites."""

import hmac
from collections.abc import Mapping

from bytepair.server._errors import ApiError
from bytepair.server._settings import Settings

Headers = tuple[tuple[bytes, bytes], ...]


class Guard:
    """Looks at the headers of requests."""

    def __init__(self, settings: Settings) -> None:
        self._keys = [key.encode() for key in settings.api_key]
        self._hosts = settings.hosts
        self._origins = frozenset(origin.encode() for origin in settings.cors_origin)

    def check_key(self, headers: Mapping[bytes, bytes]) -> None:
        """Refuse a request without one of the keys, if there are any.

        Raises:
            ApiError: 401.
        """
        if not self._keys:
            return
        given = headers.get(b"x-api-key")
        if given is None:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() != b"bearer":
                given = b""
        given = given.strip()
        # Every key is compared, each in a time that does not tell how much of it was right.
        matches = [hmac.compare_digest(given, key) for key in self._keys]
        if not any(matches):
            raise ApiError(
                401,
                "invalid_api_key",
                "a key is needed: Authorization: Bearer KEY, or X-Api-Key: KEY.",
                headers=((b"www-authenticate", b"Bearer"),),
            )

    def check_origin(self, headers: Mapping[bytes, bytes]) -> Headers:
        """The CORS headers of the answer.

        Raises:
            ApiError: a page of another site asks, or the name is not ours.
        """
        host = headers.get(b"host", b"")
        if self._hosts is not None and _host_name(host) not in self._hosts:
            raise ApiError(
                403, "host", "this service is not called so; the operator can allow the name."
            )
        origin = headers.get(b"origin")
        if origin is None or origin.partition(b"://")[2] == host:
            return ()
        if origin in self._origins or b"*" in self._origins:
            return ((b"access-control-allow-origin", origin), (b"vary", b"origin"))
        raise ApiError(
            403, "origin", "pages of other sites may not ask here; the operator can allow them."
        )


def _host_name(host: bytes) -> str:
    """Without the port; of an IPv6 address without its brackets."""
    text = host.decode("latin-1").lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0]
