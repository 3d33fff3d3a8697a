"""A small project with everything that tools can be asked about."""

from collections.abc import Mapping

FILES: Mapping[str, str] = {
    "shop/price.py": '"""Prices."""\n\nRATE = 2\n\n\nclass Priced:\n    """Has a price."""\n\n'
    "    def price(self, item: int) -> int:\n"
    "        return item * RATE\n",
    "shop/cart.py": "from shop.price import Priced\n\n\nclass Cart(Priced):\n"
    "    def total(self, items: list[int]) -> int:\n"
    "        return sum(self.price(item) for item in items)\n",
    "shop/main.py": "from shop.cart import Cart\n\n\ndef main() -> int:\n"
    "    return Cart().total([1, 2])\n",
    "README.md": "# Shop\n\nSums prices.\n",
}
MANY: Mapping[str, str] = {
    f"many/user_{number:03}.py": "from shop.price import Priced\n\n\n"
    + "\n\n".join(
        f"def use_{number:03}_{turn}(thing: Priced) -> int:\n    return thing.price({turn})\n"
        for turn in range(6)
    )
    for number in range(60)
}
