"""CodeCompass: local-first code search and navigation for AI coding agents."""

import os

# Read when numpy is first loaded, by whomever: our products are small, and threads for them
# take three times the CPU and a stack each.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

TYPE_CHECKING = False  # `typing` takes as long to load as Python itself
if TYPE_CHECKING:
    from codecompass.engine.engine import Engine

__all__ = ["Engine", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the engine when it is first asked for: importing the package stays cheap."""
    if name == "Engine":
        from codecompass.engine.engine import Engine  # lazily on purpose

        return Engine
    raise AttributeError(name)
