"""Talk to the payment provider."""

import time
from decimal import Decimal

_MAX_ATTEMPTS = 3


class PaymentDeclined(Exception):
    """The provider said no."""


class PaymentGateway:
    """Charges and refunds cards through the provider's HTTP interface."""

    def __init__(self, transport, api_key: str) -> None:
        self._transport = transport
        self._api_key = api_key

    def charge(self, customer: str, amount: Decimal) -> str:
        """Charge a card; returns the receipt's number."""
        return self._post("charge", {"customer": customer, "amount": str(amount)})

    def refund(self, receipt: str) -> str:
        """Give the money of a receipt back."""
        return self._post("refund", {"receipt": receipt})

    def _post(self, action: str, body: dict) -> str:
        """Send a request, again with a growing pause if the connection fails."""
        for attempt in range(_MAX_ATTEMPTS):
            try:
                answer = self._transport.post(action, body, key=self._api_key)
            except ConnectionError:
                time.sleep(2**attempt)
                continue
            if answer["status"] == "declined":
                raise PaymentDeclined(answer["reason"])
            return answer["receipt"]
        raise ConnectionError("the payment provider does not answer")
