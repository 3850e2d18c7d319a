"""Train the head that marks damaged words: ``python tools/meaning_words.py LESSON data/models/same-meaning-en``.

LESSON is a ``lesson.jsonl`` of ``meaning_changes.py data``: its rivals are candidates with a damage at a known place.
The head reads the model's token states of (source, rival) and says for each piece of the rival how likely it is
damaged; the model itself stays as it is. ``meaning_goals.py --only words`` compares the order of the words with and
without it.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from meaning_changes import Pair

from nbhelpers.metrics.changes import differences, touches
from nbhelpers.metrics.meaning_model import WORDS_FILE, MeaningModel, load_meaning_model, make_words_head

LONGEST = 400
"""Characters that a source may have."""


def examples(model: MeaningModel, pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray]:
    """States of all pieces of the pairs' rivals, and which of them the damage touches."""
    found, labels = [], []
    for pair in pairs:
        vectors, pieces = model.states(pair.source, pair.rival)
        spans = [one.candidate for one in differences(pair.candidate, pair.rival)]
        found.append(vectors.numpy().astype("float16"))
        labels += [any(touches(piece, span) for span in spans) for piece in pieces]
    return np.concatenate(found), np.array(labels)


def train(model: MeaningModel, pairs: Sequence[Pair]):
    """The head; the number of pieces, the share of damaged ones, and the share that is right in a tenth kept apart."""
    import torch
    from sklearn.neural_network import MLPClassifier

    vectors, labels = examples(model, pairs)
    fitted = MLPClassifier((64,), alpha=1e-3, early_stopping=True, random_state=0).fit(vectors, labels)
    head = make_words_head(vectors.shape[1])
    for layer, weight, bias in zip(head[::2], fitted.coefs_, fitted.intercepts_):
        layer.weight.data, layer.bias.data = torch.tensor(weight.T).half(), torch.tensor(bias).half()
    return head, len(labels), float(labels.mean()), fitted.best_validation_score_


def main() -> None:
    """Run the command line."""
    from safetensors.torch import save_file

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lesson", type=Path)
    parser.add_argument("folder", type=Path, help="of the model; the head is written there")
    parser.add_argument("--pairs", type=int, default=5_000)
    options = parser.parse_args()
    lines = options.lesson.read_text(encoding="utf-8").splitlines()
    pairs = [pair for line in lines if (pair := Pair(*json.loads(line))).rival and len(pair.source) < LONGEST]
    chosen = random.Random(0).sample(pairs, min(options.pairs, len(pairs)))
    head, pieces, share, right = train(load_meaning_model(str(options.folder)), chosen)
    save_file({name: weight.contiguous() for name, weight in head.state_dict().items()}, options.folder / WORDS_FILE)
    print(f"{pieces:,} pieces of {len(chosen):,} pairs, {share:.3f} of them damaged; {right:.3f} of a tenth right")


if __name__ == "__main__":
    main()
