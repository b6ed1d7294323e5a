"""Vectors of length 1 as bytes, one for each dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

QUANTIZATION_STEPS = 127


def quantize_vectors(vectors: NDArray[np.float32]) -> list[bytes]:
    """Rows as bytes; the scale is left out, as only directions count."""
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9)
    rows = np.rint(vectors / largest * QUANTIZATION_STEPS).astype(np.int8)
    return [row.tobytes() for row in rows]


def dequantize_vectors(rows: Sequence[bytes]) -> NDArray[np.float32]:
    """The rows again, of length 1."""
    size = len(rows[0]) if rows else 0
    table = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), size).astype(np.float32)
    lengths = np.linalg.norm(table, axis=1, keepdims=True)
    vectors: NDArray[np.float32] = table / np.maximum(lengths, 1e-9)
    return vectors
