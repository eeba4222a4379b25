"""The service in this process, and clients for it."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import bytepair
from bytepair import Tokenizer
from bytepair.server import Settings, create_app
from serving import SPECIAL, TEMPLATE, TEXT, Client


@pytest.fixture(scope="session")
def tok() -> Tokenizer:
    """A small tokenizer with a chat template."""
    trained = bytepair.train([TEXT * 5], vocab_size=290, special_tokens=SPECIAL, name="small")
    return trained.with_conventions(chat_template=TEMPLATE, eos_token="<|end|>", max_length=4096)


@pytest.fixture(scope="session")
def other() -> Tokenizer:
    """Another one, to be compared."""
    return bytepair.train([TEXT * 5], vocab_size=270, special_tokens=[], name="other")


Make = Callable[..., Client]


@pytest.fixture
def make(tok: Tokenizer, other: Tokenizer) -> Iterator[Make]:
    """Makes clients of services with settings of their own."""
    clients: list[Client] = []

    def call(named: Any = None, log: Any = None, **settings: Any) -> Client:
        from bytepair.server._log import EventLog

        chosen = Settings(**{"threads": 2, **settings})
        events = EventLog(chosen.log, log or io.BytesIO())
        served = named or [("small", tok), ("other", other)]
        clients.append(Client(create_app(chosen, served, log=events)))
        return clients[-1]

    yield call
    for client in clients:
        client.close()
        client.app.pool.close()


@pytest.fixture
def client(make: Make) -> Client:
    """A service as it is usually set."""
    return make()
