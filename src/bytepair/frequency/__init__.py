"""Stage 2, count: documents become a table of distinct pre-tokens."""

from bytepair.frequency._analyzer import FrequencyAnalyzer

__all__ = ["FrequencyAnalyzer"]
