"""What goes wrong with a request, in the form that OpenAI's clients know."""

import msgspec

from bytepair.errors import (
    BytepairError,
    ChatTemplateError,
    EncodeError,
    MissingExtraError,
    SpecialTokenError,
    UnknownTokenError,
)

_CODES = (
    (SpecialTokenError, "special_token"),
    (UnknownTokenError, "unknown_token"),
    (ChatTemplateError, "chat_template"),
    (EncodeError, "encode"),
    (UnicodeDecodeError, "not_utf8"),
)
_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "server_error",
    501: "server_error",
    503: "unavailable_error",
}


class ErrorBody(msgspec.Struct):
    """What went wrong.

    Attributes:
        param: the member of the request that is to blame.
        code: one of a few words, for programs.
    """

    message: str
    type: str
    param: str | None
    code: str


class ErrorAnswer(msgspec.Struct):
    """The answer to a request that failed."""

    error: ErrorBody


class ApiError(Exception):
    """A request that cannot be answered: the status, what to say, and which kind it is."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        param: str | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.param, self.headers = param, headers

    def body(self) -> bytes:
        """JSON, as OpenAI's clients expect it."""
        kind = _TYPES.get(self.status, "invalid_request_error")
        return msgspec.json.encode(
            ErrorAnswer(ErrorBody(self.message, kind, self.param, self.code))
        )


def as_api_error(error: Exception) -> ApiError | None:
    """What an error of the library says to a client; None: it is a fault of the service."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, MissingExtraError):
        return ApiError(501, "not_installed", str(error))
    for kind, code in _CODES:
        if isinstance(error, kind):
            return ApiError(400, code, str(error))
    if isinstance(error, BytepairError):
        return ApiError(400, "invalid_value", str(error))
    if isinstance(error, RecursionError):
        return ApiError(400, "too_deep", "the request is nested too deeply.")
    if isinstance(error, MemoryError):
        return ApiError(503, "out_of_memory", "there is not enough memory for this request.")
    return None


def invalid(message: str, param: str | None = None, code: str = "invalid_value") -> ApiError:
    """A request that is wrong in itself."""
    return ApiError(400, code, message, param=param)


def parse_error(error: msgspec.MsgspecError) -> ApiError:
    """What msgspec says about a body, with the member it is about."""
    text = str(error)
    if isinstance(error, msgspec.ValidationError):
        message, _, place = text.partition(" - at `$")
        param = place.rstrip("`").lstrip(".") or None
        return invalid(message + ".", param)
    return invalid(f"the body is not JSON: {text}.", code="not_json")
