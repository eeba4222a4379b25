"""What a tokenizer makes of text, in figures; several side by side; languages against English.

A `Subject` is whatever turns texts into ids: a tokenizer of this library or of another. `measure`
runs a corpus through one and gives `Metrics`.
"""

from bytepair.evaluation._baseline import BASELINES, Baseline, train_baseline
from bytepair.evaluation._compare import Comparison, Difference, Row, compare
from bytepair.evaluation._compare_page import comparison_page, comparison_rows
from bytepair.evaluation._foreign import (
    OfHuggingFace,
    OfSentencePiece,
    OfTiktoken,
    open_subject,
)
from bytepair.evaluation._measure import Meter, measure
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._parallel import ParallelText, parallel_texts, parity
from bytepair.evaluation._prices import Prices, read_prices
from bytepair.evaluation._prune_page import prune_page
from bytepair.evaluation._report import Examination, examine, report
from bytepair.evaluation._report_page import report_page
from bytepair.evaluation._subject import Encoded, OfTokenizer, Subject

__all__ = [
    "BASELINES",
    "Baseline",
    "Comparison",
    "Difference",
    "Encoded",
    "Examination",
    "Meter",
    "Metrics",
    "OfHuggingFace",
    "OfSentencePiece",
    "OfTiktoken",
    "OfTokenizer",
    "ParallelText",
    "Prices",
    "Row",
    "Subject",
    "compare",
    "comparison_page",
    "comparison_rows",
    "examine",
    "measure",
    "open_subject",
    "parallel_texts",
    "parity",
    "prune_page",
    "read_prices",
    "report",
    "report_page",
    "train_baseline",
]
