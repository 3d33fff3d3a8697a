"""Orders and their lines."""

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass
class OrderLine:
    """One article in an order."""

    article: str
    quantity: int
    unit_price: Decimal

    @property
    def total(self) -> Decimal:
        return self.quantity * self.unit_price


@dataclass
class Order:
    """What a customer wants to buy."""

    customer: str
    lines: list[OrderLine] = field(default_factory=list)
    status: str = "open"

    def add_line(self, line: OrderLine) -> None:
        """Put another article into the order."""
        self.lines.append(line)

    def grand_total(self) -> Decimal:
        """The sum over all lines, before tax."""
        return sum((line.total for line in self.lines), Decimal(0))
