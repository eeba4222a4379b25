"""What a tokenizer makes of text, in figures; several side by side; languages against English.

A `Subject` is whatever turns texts into ids: a tokenizer of this library or of another. `measure`
runs a corpus through one and gives `Metrics`.
"""

from bytepair.evaluation._measure import Meter, measure
from bytepair.evaluation._metrics import Metrics
from bytepair.evaluation._parallel import ParallelText, parallel_texts, parity
from bytepair.evaluation._subject import Encoded, OfTokenizer, Subject

__all__ = [
    "Encoded",
    "Meter",
    "Metrics",
    "OfTokenizer",
    "ParallelText",
    "Subject",
    "measure",
    "parallel_texts",
    "parity",
]
