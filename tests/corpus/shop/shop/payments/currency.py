"""Convert amounts between currencies."""

from decimal import ROUND_HALF_UP, Decimal

_RATES = {"EUR": Decimal(1), "USD": Decimal("1.08"), "GBP": Decimal("0.86")}


def convert(amount: Decimal, source: str, target: str) -> Decimal:
    """An amount in another currency, rounded to cents."""
    value = amount / _RATES[source] * _RATES[target]
    return value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
