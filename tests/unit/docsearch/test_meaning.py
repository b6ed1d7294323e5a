"""Vectors: word pieces, the table that we bring, and sentence models of the user."""

import json
from pathlib import Path

import numpy as np
import pytest

from paddock.docsearch.corpora.wolfram_symbols import SYMBOLS_CORPUS, SymbolDescriptions
from paddock.docsearch.embeddings.minilm import MiniLM, ModelError
from paddock.docsearch.embeddings.model_choice import (
    MODEL_VARIABLE,
    NO_VECTORS,
    STATIC_VECTORS,
    choose_embedding,
    load_embedding,
)
from paddock.docsearch.embeddings.static_vectors import (
    StaticVectors,
    dequantize_vectors,
    quantize_vectors,
    split_word_pieces,
    split_words,
)
from paddock.docsearch.index_store import IndexStore
from paddock.docsearch.indexer import update_index
from paddock.docsearch.model import parse_query
from paddock.docsearch.ranker import Ranker

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "sort", "list", "##s", "plot", "a"]
SIZE, WIDE = 8, 16


def tiny_model(folder: Path) -> Path:
    """A model of the right form, with weights that mean nothing."""
    folder.mkdir()
    random = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(VOCABULARY), SIZE),
        "embeddings.position_embeddings.weight": (512, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
    }
    layer = "encoder.layer.0"
    for name in ("query", "key", "value"):
        shapes[f"{layer}.attention.self.{name}.weight"] = (SIZE, SIZE)
        shapes[f"{layer}.attention.self.{name}.bias"] = (SIZE,)
    shapes |= {
        f"{layer}.attention.output.dense.weight": (SIZE, SIZE),
        f"{layer}.attention.output.dense.bias": (SIZE,),
        f"{layer}.intermediate.dense.weight": (WIDE, SIZE),
        f"{layer}.intermediate.dense.bias": (WIDE,),
        f"{layer}.output.dense.weight": (SIZE, WIDE),
        f"{layer}.output.dense.bias": (SIZE,),
    }
    for name in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        shapes |= {f"{name}.LayerNorm.weight": (SIZE,), f"{name}.LayerNorm.bias": (SIZE,)}
    header, body = {}, b""
    for name, shape in shapes.items():
        data = random.normal(size=shape).astype("<f4").tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + body)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY), encoding="utf-8")
    config = {"hidden_size": SIZE, "num_attention_heads": 2, "num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_words_are_lower_case_without_accents_and_cut_into_the_longest_pieces() -> None:
    vocabulary = {piece: number for number, piece in enumerate(VOCABULARY)}
    assert split_words("Sort, LISTS: é_x") == ["sort", ",", "lists", ":", "e", "_", "x"]
    assert split_word_pieces("lists", vocabulary) == [5, 6]
    assert split_word_pieces("unknown", vocabulary) == []
    assert split_word_pieces("l" * 101, vocabulary) == []


def test_our_vectors_know_that_words_mean_the_same() -> None:
    near, far, none = StaticVectors().embed(["arrange in order", "bake bread", ""])
    wanted = StaticVectors().embed(["sort a list"])[0]
    assert wanted @ near > wanted @ far
    assert not none.any()


def test_packed_vectors_keep_their_directions() -> None:
    vectors = StaticVectors().embed(["sort a list", "plot a function"])
    assert np.allclose(dequantize_vectors(quantize_vectors(vectors)), vectors, atol=0.02)
    assert dequantize_vectors([]).shape == (0, 0)


def test_a_model_gives_vectors_of_length_one_that_depend_on_the_order(tmp_path: Path) -> None:
    model = MiniLM(tiny_model(tmp_path / "model"))
    rows = model.embed(["sort a list", "list a sort", "sort a list", "plot " * 10_000])
    assert rows.shape == (4, SIZE)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.array_equal(rows[0], rows[2])
    assert not np.allclose(rows[0], rows[1])


@pytest.mark.parametrize("broken", ["model.safetensors", "config.json", "vocab.txt"])
def test_a_directory_without_a_model_is_reported(broken: str, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "model")
    (folder / broken).write_bytes(b"{}")
    with pytest.raises(ModelError) as caught:
        MiniLM(folder)
    assert caught.value.where == str(folder)


def test_the_variable_says_which_vectors_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (NO_VECTORS, STATIC_VECTORS, str(tmp_path)):
        monkeypatch.setenv(MODEL_VARIABLE, name)
        assert choose_embedding() == name
    assert load_embedding(NO_VECTORS) is None


def test_pages_get_the_vectors_of_a_model_once_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, STATIC_VECTORS)
    database = IndexStore(None)
    update_index(database, [SymbolDescriptions()])
    monkeypatch.setenv(MODEL_VARIABLE, str(tiny_model(tmp_path / "model")))
    ranking = Ranker(database)
    assert (
        ranking.rank(parse_query("Plot3D"), [SYMBOLS_CORPUS], 5)[0].title == "Plot3D"
    )  # by the old vectors
    update_index(database, [SymbolDescriptions()])
    kinds = database.fetch_rows("SELECT DISTINCT kind, length(vector) FROM vectors")
    assert kinds == [(str(tmp_path / "model"), SIZE)]
    assert ranking.rank(parse_query("Plot3D"), [SYMBOLS_CORPUS], 5)[0].title == "Plot3D"
