"""What a training tells Prometheus: a scraped port, a text file, or a pushgateway.

`TrainingMetrics` is a progress callback; it needs the extra `metrics`.
"""

from bytepair.monitoring._training import TrainingMetrics

__all__ = ["TrainingMetrics"]
