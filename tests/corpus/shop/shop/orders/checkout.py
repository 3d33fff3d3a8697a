"""Turn an open order into a paid one."""

from shop.orders.inventory import reserve_stock
from shop.orders.models import Order
from shop.payments.gateway import PaymentGateway


class CheckoutError(Exception):
    """The order cannot be completed."""


def complete_checkout(order: Order, gateway: PaymentGateway) -> str:
    """Reserve the articles, charge the card and mark the order as paid."""
    if not order.lines:
        raise CheckoutError("cannot check out an empty order")
    reserve_stock(order)
    receipt = gateway.charge(order.customer, order.grand_total())
    order.status = "paid"
    return receipt
