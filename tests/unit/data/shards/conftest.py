from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from bytepair.data.shards import LAYOUTS, FileFacts, ShardOptions

Write = Callable[..., dict[str, FileFacts]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write documents as the shard "s" of a layout, in one call or, if `cut`, in parts.

    The tokenizer is named "tok" and has 300 ids, of which 299 ends documents.
    """

    def written(
        layout: str, documents: Sequence[Sequence[int]], dtype: str = "<u2", *, cut: bool = False
    ) -> dict[str, FileFacts]:
        options = ShardOptions(np.dtype(dtype), "tok", "ab12", 300, None, 299)
        writer = LAYOUTS[layout].writer(tmp_path, "s", options)
        rows = [np.array(document, dtype) for document in documents]
        lengths = np.array([len(row) for row in rows], np.int64)
        if not cut:
            writer.write(np.concatenate([np.zeros(0, dtype), *rows]), lengths)
        for row in rows if cut else []:
            writer.write(row[:1], np.zeros(0, np.int64))
            writer.write(row[1:], np.array([len(row)], np.int64))
        return writer.finish()

    return written
