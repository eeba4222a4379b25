"""`create_app`: which endpoint answers on which path."""

from collections.abc import Iterable
from functools import cache

from bytepair import Tokenizer
from bytepair.server import _conversations as chat
from bytepair.server import _dialects as of
from bytepair.server import _lab as lab
from bytepair.server import _playground as page
from bytepair.server import _schemas as own
from bytepair.server._about import About, static_endpoints
from bytepair.server._conversations import Conversations
from bytepair.server._dialects import Dialects
from bytepair.server._http import App, Endpoint
from bytepair.server._lab import Lab
from bytepair.server._log import EventLog
from bytepair.server._metrics import Metrics
from bytepair.server._openapi import Described, Document
from bytepair.server._own import OwnApi
from bytepair.server._pool import Pool
from bytepair.server._settings import Settings
from bytepair.server._tokenizers import Tokenizers
from bytepair.server._work import Work

_TEXT = {"text": "low lowest"}
_OWN, _DIALECTS, _ABOUT = "Own API", "Other servers' dialects", "The service"
_HTML = "text/html"


def create_app(
    settings: Settings,
    named: Iterable[tuple[str, Tokenizer]],
    *,
    metrics: Metrics | None = None,
    log: EventLog | None = None,
) -> App:
    """An ASGI application that serves these tokenizers, the first of them by default.

    Args:
        named: (name, tokenizer), at least one.
        metrics, log: None: new ones.
    """
    metrics = metrics or Metrics()
    log = log or EventLog(settings.log)
    pool = Pool(settings.threads, settings.queue, settings.timeout, metrics)
    tokenizers = Tokenizers(named, metrics, settings.uploads)
    app: App
    about = About(tokenizers, metrics, lambda: app.is_draining)
    endpoints = [
        *_own(OwnApi(tokenizers, Work(settings), settings)),
        *_dialects(tokenizers, settings),
        *_lab(Lab(tokenizers)),
        *_about(about),
        *static_endpoints(),
    ]
    app = App(endpoints, settings, metrics, log, pool)
    return app


def _own(api: OwnApi) -> list[Endpoint]:
    return [
        Endpoint("POST", "/v1/encode", api.encode),
        Endpoint("POST", "/v1/decode", api.decode, stream=api.decode_stream),
        Endpoint("POST", "/v1/count", api.count),
        Endpoint("POST", "/v1/inspect", api.inspect),
        Endpoint("POST", "/v1/explain", api.explain, is_slow=True),
        Endpoint("POST", "/v1/compare", api.compare, is_slow=True),
    ]


def _lab(api: Lab) -> list[Endpoint]:
    return [
        Endpoint("POST", "/v1/token", api.token, is_slow=True),
        Endpoint("POST", "/v1/vocabulary", api.vocabulary, is_slow=True),
        Endpoint("POST", "/v1/prefix", api.prefix),
        Endpoint("POST", "/v1/train", api.train, is_slow=True),
        Endpoint("POST", "/v1/pretokens", page.pretokens),
        Endpoint("POST", "/v1/prune", api.prune, is_slow=True),
        Endpoint("GET", "/v1/languages", api.languages),
        Endpoint("GET", "/v1/prices", api.prices),
    ]


def _dialects(tokenizers: Tokenizers, settings: Settings) -> list[Endpoint]:
    work = Work(settings)
    chats = Conversations(tokenizers, work, settings)
    api = Dialects(tokenizers, work, chats, settings)
    # A client's template is waited for.
    waits = settings.request_templates
    return [
        Endpoint("POST", "/tokenize", api.tokenize, is_slow=waits),
        Endpoint("POST", "/v1/tokenize", api.sglang_tokenize),
        Endpoint("POST", "/detokenize", api.detokenize),
        Endpoint("POST", "/v1/detokenize", api.sglang_detokenize),
        Endpoint("POST", "/decode", api.decode),
        Endpoint("POST", "/apply-template", chats.apply_template, is_slow=waits),
        Endpoint("POST", "/v1/messages/count_tokens", chats.count_tokens),
        Endpoint("POST", "/v1/responses/input_tokens", chats.input_tokens),
    ]


def _about(about: About) -> list[Endpoint]:
    document = _document()
    return [
        Endpoint("GET", "/v1/tokenizers", about.tokenizers),
        Endpoint("POST", "/v1/tokenizers", about.upload, is_slow=True),
        Endpoint("GET", "/v1/models", about.models),
        Endpoint("GET", "/tokenizer_info", about.tokenizer_info),
        Endpoint("GET", "/version", about.version),
        Endpoint("GET", "/metrics", about.metrics),
        *(
            Endpoint("GET", path, about.health, is_open=True)
            for path in ("/health", "/healthz", "/ping", "/health_generate")
        ),
        Endpoint("GET", "/openapi.json", document.json, is_open=True),
        Endpoint("GET", "/docs", document.html, is_open=True),
    ]


@cache
def _document() -> Document:
    return Document(_OPERATIONS)


_OPERATIONS = [
    Described("POST", "/v1/encode", "Text to ids.", _OWN,
              (own.EncodeRequest,), (own.EncodeAnswer,), example=_TEXT),
    Described("POST", "/v1/decode", "Ids to text.", _OWN,
              (own.DecodeRequest,), (own.DecodeAnswer,), events=True, example={"ids": [72, 105]}),
    Described("POST", "/v1/count", "How many tokens.", _OWN,
              (own.TextRequest,), (own.CountAnswer,), example=_TEXT),
    Described("POST", "/v1/inspect", "The tokens one by one.", _OWN,
              (own.InspectRequest,), (own.InspectAnswer,), example=_TEXT),
    Described("POST", "/v1/explain", "Which merges made the tokens.", _OWN,
              (own.ExplainRequest,), (own.ExplainAnswer,), example=_TEXT),
    Described("POST", "/v1/compare", "Several tokenizers on one text.", _OWN,
              (own.CompareRequest,), (own.CompareAnswer,), example=_TEXT),
    Described("POST", "/v1/token", "A token, and what it is made of.", _OWN,
              (lab.TokenRequest,), (lab.TokenAnswer,), example={"id": 104}),
    Described("POST", "/v1/vocabulary", "Tokens by what they hold.", _OWN,
              (lab.VocabularyRequest,), (lab.VocabularyAnswer,), example={"search": "low"}),
    Described("POST", "/v1/prefix", "What a prefix cache keeps of one prompt for another.", _OWN,
              (lab.PrefixRequest,), (lab.PrefixAnswer,),
              example={"first": "low lower", "second": "low lowest"}),
    Described("POST", "/v1/train", "The merges that a text teaches.", _OWN,
              (lab.TrainRequest,), (lab.TrainAnswer,), example={"text": "low low lower"}),
    Described("POST", "/v1/pretokens", "Where a pattern cuts a text.", _OWN,
              (page.CutRequest,), (page.CutAnswer,), example={"text": "low lower"}),
    Described("POST", "/v1/prune", "What pruning on a text would remove.", _OWN,
              (lab.PruneRequest,), (lab.PruneAnswer,), example={"text": "low lower"}),
    Described("GET", "/v1/languages", "The same sentences in many languages.", _OWN, (),
              (lab.LanguagesAnswer,)),
    Described("GET", "/v1/prices", "What tokens cost.", _OWN, (), (lab.PricesAnswer,)),
    Described("GET", "/v1/tokenizers", "What is served.", _OWN, (), (own.TokenizersAnswer,)),
    Described("POST", "/tokenize", "Text to ids, as the body's dialect has it.", _DIALECTS,
              (of.VllmTokenize, of.ChatTokenize, of.LlamaTokenize, of.TeiTokenize),
              (of.VllmTokens, of.SglangTokens, of.LlamaTokens, of.TeiTokens),
              example={"prompt": "low lowest"}),
    Described("POST", "/detokenize", "Ids to text, as the body's dialect has it.", _DIALECTS,
              (of.Detokenize,), (of.Detokenized,), example={"tokens": [72, 105]}),
    Described("POST", "/v1/tokenize", "SGLang.", _DIALECTS, (of.VllmTokenize,), (of.SglangTokens,),
              example={"prompt": ["low", "lowest"]}),
    Described("POST", "/v1/detokenize", "SGLang.", _DIALECTS, (of.Detokenize,), (of.Detokenized,),
              example={"tokens": [[72, 105]]}),
    Described("POST", "/decode", "TEI.", _DIALECTS, (of.TeiDecode,), (of.TextList,),
              example={"ids": [72, 105]}),
    Described("POST", "/apply-template", "A conversation as text.", _DIALECTS,
              (chat.ChatRequest,), (chat.TemplateAnswer,),
              example={"messages": [{"role": "user", "content": "Hi"}]}),
    Described("POST", "/v1/messages/count_tokens", "Anthropic.", _DIALECTS,
              (chat.CountTokensRequest,), (chat.CountTokensAnswer,),
              example={"model": "default", "messages": [{"role": "user", "content": "Hi"}]}),
    Described("POST", "/v1/responses/input_tokens", "OpenAI.", _DIALECTS,
              (chat.InputTokensRequest,), (chat.InputTokensAnswer,), example={"input": "Hi"}),
    Described("GET", "/tokenizer_info", "The default's tokenizer_config.json.", _DIALECTS, (),
              (chat.Object,)),
    Described("GET", "/v1/models", "What is served, as models.", _DIALECTS, (),
              (own.ModelsAnswer,)),
    Described("GET", "/health", "Whether requests are welcome.", _ABOUT, (), (own.HealthAnswer,)),
    Described("GET", "/version", "What runs.", _ABOUT, (), (own.VersionAnswer,)),
    Described("GET", "/metrics", "For Prometheus.", _ABOUT, (), ("text/plain",)),
    Described("GET", "/docs", "This page.", _ABOUT, (), (_HTML,)),
]  # fmt: skip
