from shop.orders.checkout import complete_checkout
from shop.orders.models import Order


def test_an_empty_order_cannot_be_checked_out(gateway):
    try:
        complete_checkout(Order("ann"), gateway)
    except Exception as error:
        assert "empty order" in str(error)


def test_checkout_charges_the_grand_total(gateway, order):
    assert complete_checkout(order, gateway) == "receipt"
