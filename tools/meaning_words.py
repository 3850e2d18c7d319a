"""A head that marks damaged words, against taking each edit back: ``tools/meaning_words.py LESSON --wordnet DIR``.

LESSON is a ``lesson.jsonl`` of ``meaning_changes.py data``: its rivals are candidates with a damage at a known place.
The head reads a model's token states of (source, rival) and says for each piece of the rival how likely it is damaged;
the model itself stays as it is. Both ways, and the sum of their shares, are tried on the same items (those of
``meaning_goals.py --only words``).
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from meaning_changes import Pair
from meaning_goals import damaged_inside

from nbhelpers import metrics
from nbhelpers.base.stats import bootstrap, proportion
from nbhelpers.metrics.changes import differences
from nbhelpers.metrics.meaning_model import encode_pairs, load_meaning_model, model_inputs

Spans = list[tuple[int, int]]


def states(model, source: str, candidate: str):
    """Token states of the candidate's pieces as the model reads them beside the source, and their characters."""
    import torch

    one = encode_pairs(model.loaded.tokenizer, [source], [candidate], model.longest)[0]
    batch = {"ids": torch.tensor([one.ids]), "types": torch.tensor([one.types])}
    with torch.inference_mode():
        hidden = model.loaded.model(**model_inputs(model.loaded.tokenizer, batch)).last_hidden_state[0].float()
    places = model.loaded.tokenizer(source, candidate, return_offsets_mapping=True, verbose=False)["offset_mapping"]
    own = [place for place, number in enumerate(one.sentence) if number == 1]
    return hidden[own].numpy(), [places[place] for place in own]


def touches(piece: tuple[int, int], spans: Spans) -> bool:
    """Whether a piece overlaps a span, or stands beside an empty one, where words were left out."""
    slack = [1 if first == last else 0 for first, last in spans]
    return any(piece[0] < last + more and first - more < piece[1] for (first, last), more in zip(spans, slack))


def examples(model, pairs: list[Pair]) -> tuple[np.ndarray, np.ndarray]:
    """States of all pieces of the pairs' rivals, and which of them the damage touches."""
    found, labels = [], []
    for pair in pairs:
        vectors, pieces = states(model, pair.source, pair.rival)
        spans = [one.candidate for one in differences(pair.candidate, pair.rival)]
        found.append(vectors.astype("float16"))
        labels += [touches(piece, spans) for piece in pieces]
    return np.concatenate(found), np.array(labels)


def main() -> None:
    """Train the head, and print the shares of both ways by set."""
    from sklearn.neural_network import MLPClassifier

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lesson", type=Path)
    parser.add_argument("--wordnet", type=Path, required=True)
    parser.add_argument("--model", default="same-meaning")
    parser.add_argument("--pairs", type=int, default=6_000)
    parser.add_argument("--items", type=int, default=100, help="items of a set")
    options = parser.parse_args()
    metric, model = metrics.load(options.model), load_meaning_model(options.model)
    lines = options.lesson.read_text(encoding="utf-8").splitlines()
    pairs = [pair for line in lines if (pair := Pair(*json.loads(line))).rival and len(pair.source) < 400]
    vectors, labels = examples(model, random.Random(0).sample(pairs, options.pairs))
    head = MLPClassifier((64,), alpha=1e-3, early_stopping=True, random_state=0).fit(vectors, labels)
    print(f"{len(labels):,} pieces of {options.pairs:,} pairs, {labels.mean():.3f} of them damaged")
    for name, items in damaged_inside(options.wordnet, options.items):
        hits: dict[str, list[bool]] = {"taken back": [], "head": [], "both": []}
        for good, bad in zip(items[::2], items[1::2]):
            spans = [one.candidate for one in differences(good.candidate, bad.candidate)]
            found = metric.changes(bad.source, bad.candidate)
            hit = [any(a <= d and c <= b for c, d in spans) for a, b in (one.candidate for one in found)]
            if len(hit) > 1 and any(hit) and not all(hit):
                own, pieces = states(model, bad.source, bad.candidate)
                likely = head.predict_proba(own)[:, 1]
                on = [[touches(piece, [one.candidate]) for piece in pieces] for one in found]
                marked = np.array([max(likely[np.array(each)], default=0.0) for each in on])
                cost = np.array([one.cost for one in found]) / max(sum(one.cost for one in found), 1e-9)
                for way, score in zip(hits, (cost, marked, cost + marked / max(marked.sum(), 1e-9))):
                    hits[way].append(hit[int(np.argmax(score))])
        back = np.array(hits["taken back"], float)
        for way, found in hits.items():
            share, more = proportion(found), bootstrap(np.array(found, float) - back)
            texts = [f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in (share, more)]
            print(f"{name}, n = {len(back)}, {way}: {texts[0]}; minus taken back {texts[1]}", flush=True)


if __name__ == "__main__":
    main()
