"""The model that the settings name, loaded once; what keeps it from being used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codecompass.errors import CodeCompassError, ProviderBlocked

if TYPE_CHECKING:
    from codecompass.config.settings import SemanticSettings
    from codecompass.embed.embedder import Embedder


class Semantics:
    """Loads the embedder when it is first needed; a problem is told, never raised."""

    def __init__(self, settings: SemanticSettings) -> None:
        self.settings = settings
        self.problem = ""
        self.is_blocked = False
        self._embedder: Embedder | None = None
        self._is_loaded = False

    def embedder(self) -> Embedder | None:
        """The model; None if it is switched off, forbidden or not to be had."""
        if not self._is_loaded:
            self._is_loaded = True
            try:
                self._embedder = self._load()
            except CodeCompassError as error:
                self.problem = str(error)
                self.is_blocked = isinstance(error, ProviderBlocked)
        return self._embedder

    def rest(self) -> None:
        """Forget the model until it is needed again; what is wrong with it stays known."""
        if self._embedder is not None:
            self._embedder, self._is_loaded = None, False
            from codecompass.embed.static import load_static  # loaded with the model

            load_static.cache_clear()

    def _load(self) -> Embedder | None:
        if self.settings.mode == "off":
            return None
        from codecompass.embed.embedder import load_embedder  # with it numpy and a table

        return load_embedder(self.settings)
