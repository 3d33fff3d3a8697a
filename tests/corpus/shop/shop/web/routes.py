"""Which function answers which address."""

from shop.orders.checkout import complete_checkout
from shop.web.auth import log_in, log_out


class Router:
    """Finds the handler for a request."""

    def __init__(self) -> None:
        self._handlers = {}

    def register(self, method: str, path: str, handler) -> None:
        self._handlers[method, path] = handler

    def dispatch(self, request):
        """Call the handler of the request, or answer 404."""
        handler = self._handlers.get((request.method, request.path))
        return handler(request) if handler else (404, "not found")


def build_router() -> Router:
    """All addresses of the shop."""
    router = Router()
    router.register("POST", "/login", log_in)
    router.register("POST", "/logout", log_out)
    router.register("POST", "/checkout", complete_checkout)
    return router
