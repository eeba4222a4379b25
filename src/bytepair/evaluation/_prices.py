"""What tokens cost, by a small file that users edit."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from bytepair.errors import FormatError


@dataclass(frozen=True)
class Prices:
    """Prices of a million tokens.

    Attributes:
        currency: as it is shown before a number.
        by_name: tokenizer's name -> price; "*": of all others.
    """

    currency: str
    by_name: dict[str, float]

    def cost(self, name: str, n_tokens: int) -> float | None:
        """What so many tokens cost; None: the file does not say.

        >>> Prices("$", {"*": 2.0}).cost("small", 500_000)
        1.0
        """
        price = self.by_name.get(name, self.by_name.get("*"))
        return None if price is None else n_tokens / 1e6 * price


def read_prices(path: Path | None = None) -> Prices:
    """Read a price file; None: the one that comes with this package, 1 $ for everything.

    Raises:
        FormatError: missing, or not such a file; says what was wanted.
    """
    where = "prices.toml" if path is None else str(path)
    try:
        if path is None:
            text = files("bytepair.evaluation").joinpath("prices.toml").read_text(encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise FormatError(f"{where}: cannot be read: {error}") from error
    prices = table.get("per_million_tokens")
    if not isinstance(prices, dict) or not all(map(_is_price, prices.values())):
        raise FormatError(
            f"{where}: wanted a table [per_million_tokens] of names and numbers of 0 or more, such "
            'as "*" = 1.5.'
        )
    return Prices(str(table.get("currency", "$")), {k: float(v) for k, v in prices.items()})


def _is_price(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0
