"""The calls of one tokenizer of transformers, stock and accelerated, in turns: prints JSON.

`python _transformers_worker.py '{"folder": ..., "corpus": [...], "texts": ..., ...}'`: each call's
results are compared, value by value, before any call is timed. `task` holds:

    folder     of a tokenizer.json, as transformers loads it
    threads    also the number of processors this process may use
    corpus     files, and `texts`: their "documents", or "short" pieces of the first
    rounds     of all calls of both
"""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ["TRANSFORMERS_VERBOSITY"] = "error"

from _corpus import documents
from _harness import ROOT

sys.path.append(str(ROOT / "src" / "bytepair" / "cli"))
import _peers

N_SHORT, SHORT_CHARS = 20_000, 225
N_SINGLE = 2_000
ENCODING = {
    "lists": {},
    "padded lists, 128": {"padding": True, "truncation": True, "max_length": 128},
    "padded arrays, 128": {
        "padding": True, "truncation": True, "max_length": 128, "return_tensors": "np",
    },
}  # fmt: skip

Task = dict[str, Any]
Call = Callable[[Any], Any]


def main() -> None:
    """Compare, measure, print."""
    task = json.loads(sys.argv[1])
    with _peers.limited(task["threads"]):
        print(json.dumps(measured(task)))


def measured(task: Task) -> Task:
    """Seconds of every call in every round, by whose it is."""
    texts = texts_of(task)
    tokenizers = dict(zip(("bytepair", "transformers"), both(task["folder"]), strict=True))
    n_tokens = sum(map(len, tokenizers["transformers"](texts)["input_ids"]))
    calls = calls_of(texts, tokenizers["transformers"])
    runs: dict[str, dict[str, list[float]]] = {}
    for call, run in calls.items():
        ours, theirs = (plain(run(tokenizer)) for tokenizer in tokenizers.values())
        if ours != theirs:
            raise SystemExit(f"{call}: the results differ; nothing was timed.")
        runs[call] = {name: [] for name in tokenizers}
    for number in range(task["rounds"]):
        for call, run in calls.items():
            for name in list(tokenizers)[:: 1 if number % 2 else -1]:
                started = time.perf_counter()
                result = run(tokenizers[name])
                runs[call][name].append(round(time.perf_counter() - started, 6))
                del result  # given back before the next one starts
    n_bytes = sum(len(text.encode()) for text in texts)
    return {"runs": runs, "n_texts": len(texts), "text_bytes": n_bytes, "n_tokens": n_tokens}


def both(folder: str) -> tuple[Any, Any]:
    """The same tokenizer twice, accelerated and not; both can pad."""
    from transformers import AutoTokenizer

    from bytepair.integrations.transformers import accelerate

    stock = AutoTokenizer.from_pretrained(folder)
    fast = accelerate(AutoTokenizer.from_pretrained(folder))
    if stock.pad_token is None:
        stock.pad_token = fast.pad_token = stock.eos_token or stock.convert_ids_to_tokens(0)
    return fast, stock


def calls_of(texts: Sequence[str], stock: Any) -> dict[str, Call]:
    """Name -> the same call of either tokenizer."""
    ids = stock(list(texts))["input_ids"]
    calls: dict[str, Call] = {
        name: lambda tokenizer, options=options: tokenizer(texts, **options)
        for name, options in ENCODING.items()
    }
    calls["batch_decode"] = lambda tokenizer: tokenizer.batch_decode(ids, skip_special_tokens=True)
    calls[f"one by one, {N_SINGLE:,}"] = lambda tokenizer: [
        tokenizer(text) for text in texts[:N_SINGLE]
    ]
    return calls


def plain(result: Any) -> Any:
    """As values that can be compared, with their types."""
    if isinstance(result, list):
        return [plain(each) for each in result]
    if isinstance(result, str):
        return result
    return {
        name: (str(value.dtype), value.tolist()) if hasattr(value, "dtype") else value
        for name, value in result.items()
    }


def texts_of(task: Task) -> list[str]:
    """What is encoded."""
    found = [text for text in documents(task["corpus"]) if text]
    if task["texts"] == "documents":
        return found
    text = "".join(found)
    starts = range(0, min(len(text), N_SHORT * SHORT_CHARS), SHORT_CHARS)
    return [text[start : start + SHORT_CHARS] for start in starts]


if __name__ == "__main__":
    main()
