"""How many of each article are left."""

from shop.orders.models import Order

_STOCK: dict[str, int] = {}


class OutOfStock(Exception):
    """There are fewer articles than were ordered."""


def reserve_stock(order: Order) -> None:
    """Take the ordered quantities out of the stock, all or none."""
    for line in order.lines:
        if _STOCK.get(line.article, 0) < line.quantity:
            raise OutOfStock(f"only {_STOCK.get(line.article, 0)} of {line.article} left")
    for line in order.lines:
        _STOCK[line.article] -= line.quantity


def restock(article: str, quantity: int) -> None:
    _STOCK[article] = _STOCK.get(article, 0) + quantity
