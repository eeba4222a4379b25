"""PickyBPE's own package (pickybpe-bauwenst), in an interpreter that has it: reads and prints JSON.

`python _pickybpe_worker.py < task`: `vocab_size`, `threshold`, and `texts`: words as hexadecimal
bytes with their counts, of the text to learn from and of the one held out. Prints the tokens of
each. A byte is a character of its own here, so both learn from the same symbols.
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pickybpe.segmentation import PickyBPESegmenter
from pickybpe.vocabularisation import BPETrainerState, PickyBPETrainer, Token

BYTES = [chr(0x100 + byte) for byte in range(256)]  # characters that the package has no use for


class Trainer(PickyBPETrainer):
    """Words as they are, without a mark before them."""

    def _string_to_atoms(self, word: str) -> Iterable[str]:
        return word

    def _scrutinize_parent_after_merge(
        self, parent: Token, child: Token, pair_frequency: int, state: BPETrainerState
    ) -> None:
        # A pair of two equal tokens may leave none of them; the package then divides by zero, or
        # goes on to merge what it has removed.
        if child.str != parent.str * 2:
            super()._scrutinize_parent_after_merge(parent, child, pair_frequency, state)


def main() -> None:
    """Learn, encode both texts, print."""
    task = json.load(sys.stdin)
    texts = [
        Counter({"".join(BYTES[b] for b in bytes.fromhex(word)): n for word, n in text})
        for text in task["texts"]
    ]
    trainer = Trainer(
        task["vocab_size"], task["threshold"], 10**6, 1.0, BYTES, include_specials=False
    )
    with tempfile.TemporaryDirectory() as folder:
        file = trainer._fit_from_counts(texts[0], Path(folder) / "model.json", 10**9)
        segmenter = PickyBPESegmenter.from_pretrained(file)
    print(json.dumps([n_tokens(segmenter, text) for text in texts]))


def n_tokens(segmenter: PickyBPESegmenter, text: Counter[str]) -> int:
    """Tokens of a text by the package's segmenter."""
    return sum(n * len(segmenter._encode_word_by_events(word)) for word, n in text.items())


if __name__ == "__main__":
    main()
