"""Train and measure the models of the English text engine (``data/models/text-en``).

Two commands::

    python tools/text_models.py train --treebank en_ewt-ud-train.conllu.gz --text wikipedia_5000.jsonl.gz --out F
    python tools/text_models.py measure --models F --test en_ewt-ud-test.conllu.gz en_pud-ud-test.conllu.gz ...

``train`` writes ``tagger.json.gz`` (NLTK's averaged perceptron on the treebank's Penn tags) and ``sentences.json.gz``
(Punkt's statistics of running text, and the common words). ``measure`` writes ``accuracy.json`` and puts the same
numbers into the model card. Training is seeded: the same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from command import status
from model_card import fill_table

from nbhelpers.base import paths, stats
from nbhelpers.language import english as engines
from nbhelpers.language.english import English, as_tagger_sees, coarse_tag
from nbhelpers.language.tokens import ABBREVIATIONS, token_spans, tokenize
from nbhelpers.resources.treebank import Sentence, Token, iterate_conllu

SHIPPED = paths.data_dir() / "models" / "text-en"
ITERATIONS = 8
"""Passes of the perceptron over the treebank: more raise the development accuracy by 0.1 points or less."""

ARTICLES = 1500
"""Articles whose text Punkt is trained on (about 10 million characters)."""

LEAST_ABBREVIATION = 5
"""An abbreviation must occur that often with its period; Punkt alone also takes accidents of a single occurrence."""

LEAST_WORD = 5
"""Words seen less often have no orthographic context and are no common words."""

INITIALS = frozenset("abcdefghjklmnopqrstuvwxyz")
"""Single letters are taken for initials. In encyclopedic text five of six sentence ends that Punkt sees after one are
wrong (*J. R. R. Tolkien*); the pronoun I, and *World War I*, do end sentences."""

_PLAIN_ABBREVIATION = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*")
_PENN_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
_PENN_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}


def read_treebank(path: str | Path) -> Iterator[Sentence]:
    """Sentences of a CoNLL-U file (plain or ``.gz``), or of NLTK's ``treebank.zip`` (Penn Treebank sample).

    Raises
    ------
    DataFormatError
        As `nbhelpers.resources.treebank.read_conllu`.
    """
    if Path(path).suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in sorted(name for name in archive.namelist() if name.endswith(".mrg")):
                for tree in re.split(r"\n(?=\()", archive.read(name).decode("ascii").strip()):
                    leaves = [(word, tag) for tag, word in _PENN_LEAF.findall(tree) if tag != "-NONE-"]
                    rows = enumerate(((_PENN_BRACKETS.get(word, word), tag) for word, tag in leaves), start=1)
                    tokens = (Token(i, word.replace("\\/", "/"), "_", "_", tag, None, "_") for i, (word, tag) in rows)
                    yield Sentence("", "", tuple(tokens))
    else:
        yield from iterate_conllu(path, require_tree=False)


def tags_of(sentence: Sentence) -> list[str]:
    """The Penn tags of a sentence's tokens."""
    return [token.xpos for token in sentence.tokens]


# -------------------------------------------------------------------- training


def train_tagger(sentences: Sequence[Sentence]) -> dict[str, Any]:
    """NLTK's averaged perceptron, trained by NLTK on the sentences' Penn tags, as ``tagger.json.gz`` keeps it."""
    from nltk.tag.perceptron import PerceptronTagger

    tagger = PerceptronTagger(load=False)
    random.seed(0)  # NLTK shuffles the sentences with the global generator
    tagger.train([list(zip(as_tagger_sees(s.words), tags_of(s), strict=True)) for s in sentences], nr_iter=ITERATIONS)
    return packed_tagger(tagger.model.weights, tagger.tagdict, tagger.classes)


def packed_tagger(weights: dict[str, dict[str, float]], dictionary: dict[str, str], classes: set[str]) -> dict:
    """The parts of NLTK's tagger as `nbhelpers.language.english.tagger_of` reads them; weights in thousandths."""
    tags = sorted(classes, reverse=True)
    groups: dict[str, list[str]] = {}
    for name in sorted(weights):
        cut = name.rfind(" ") + 1
        groups.setdefault(name[:cut], []).append(name[cut:])
    rows = [weights[group + rest] for group, rests in groups.items() for rest in rests]
    rows = [[(column, round(1000 * row[tag])) for column, tag in enumerate(tags) if row.get(tag)] for row in rows]
    words: dict[str, list[str]] = {}
    for word, tag in sorted(dictionary.items()):
        words.setdefault(tag, []).append(word)
    return {
        "format": engines.TAGGER_FORMAT,
        "tags": tags,
        "tag_dictionary": words,
        "features": groups,
        "weights_per_feature": [len(row) for row in rows],
        "columns": [column for row in rows for column, _ in row],
        "weights": [weight for row in rows for _, weight in row],
    }


def train_sentences(paragraphs: Sequence[str], treebank: Iterable[Sentence]) -> dict[str, Any]:
    """Punkt's parameters and the common words, as ``sentences.json.gz`` keeps them.

    Punkt learns from the paragraphs. Of the abbreviations it finds, those stay that occur `LEAST_ABBREVIATION` times
    with their period. Added are the words that the treebank annotates as abbreviations (a token that ends in a
    period), twice or, if the paragraphs know them too, once, unless the paragraphs write them without a period ten
    times as often (*no*, *sun*). Common words start with a small letter inside a sentence at least as often as with a
    capital.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

    trainer = PunktTrainer()
    trainer.train("\n\n".join(paragraphs), finalize=True)
    parameters = trainer.get_params()
    count = trainer._type_fdist
    annotated = Counter(
        token[:-1].lower()
        for sentence in treebank
        for token, tag in zip(sentence.words, tags_of(sentence), strict=True)
        if len(token) > 2 and token.endswith(".") and tag[:1].isalpha()
    )
    found = {word for word in parameters.abbrev_types if count[word + "."] >= LEAST_ABBREVIATION}
    found |= {word for word, times in annotated.items() if times >= 2 or count[word + "."] >= LEAST_ABBREVIATION}
    found = {word for word in found if count[word] <= 5 * count[word + "."]}
    # "No. 5": where "no" ends a sentence, the word that follows it decides.
    found |= ABBREVIATIONS | INITIALS | {"no"}
    parameters.abbrev_types = {word for word in found if _PLAIN_ABBREVIATION.fullmatch(word) and word.isascii()}
    contexts: dict[str, list[str]] = {}
    for word, flags in sorted(parameters.ortho_context.items()):
        if count[word] + count[word + "."] < LEAST_WORD:
            del parameters.ortho_context[word]
        elif flags:
            contexts.setdefault(str(flags), []).append(word)
    splitter = PunktSentenceTokenizer(parameters)
    small, capital = Counter(), Counter()
    for paragraph in paragraphs:
        for sentence in splitter.tokenize(paragraph):
            words = [token for token in tokenize(sentence) if token[0].isalpha()][1:]
            small.update(word for word in words if word.islower())
            capital.update(word.lower() for word in words if not word.islower() and word[0].isupper())
    return {
        "format": engines.SENTENCES_FORMAT,
        "abbreviations": sorted(parameters.abbrev_types),
        "collocations": sorted(map(list, parameters.collocations)),
        "sentence_starters": sorted(parameters.sent_starters),
        "orthographic_contexts": contexts,
        "common_words": sorted(w for w, times in small.items() if times >= LEAST_WORD and times >= capital[w]),
    }


def train(treebank: str | Path, text: str | Path, out: str | Path) -> None:
    """Train both models and write them to the folder `out`."""
    sentences = list(read_treebank(treebank))
    paragraphs = pd.read_json(text, lines=True, nrows=ARTICLES)["paragraphs"].explode().tolist()
    Path(out).mkdir(parents=True, exist_ok=True)
    sentence_model, tagger = train_sentences(paragraphs, sentences), train_tagger(sentences)
    for name, model in ((engines.SENTENCES_FILE, sentence_model), (engines.TAGGER_FILE, tagger)):
        text = json.dumps(model, ensure_ascii=False, separators=(",", ":"))
        (Path(out) / name).write_bytes(gzip.compress(text.encode(), 9, mtime=0))  # reproducible bytes


# -------------------------------------------------------------------- measures


def f_score(found: Iterable[set], wanted: Iterable[set]) -> dict[str, Any]:
    """F score of what was found against what was wanted, sentence by sentence (or paragraph by paragraph).

    The interval is from resampling whole sentences: their tokens are not independent.
    """
    rows = np.array([(len(f & w), len(f), len(w)) for f, w in zip(found, wanted, strict=True)], float)

    def score(part: np.ndarray) -> float:
        right, found, wanted = part.sum(axis=0)
        return float(2 * right / (found + wanted)) if found + wanted else float("nan")

    estimate = stats.resampled(lambda chosen: score(rows[chosen]), range(len(rows)), resamples=1000)
    right, found_in_all, n = rows.sum(axis=0)
    shares = {"precision": right / found_in_all if found_in_all else None, "recall": right / n if n else None}
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": int(n)} | shares
    return {name: number if number is None else round(number, 6) for name, number in numbers.items()}


def _spans(tokens: Iterable[str]) -> set[tuple[int, int]]:
    """Start and end of tokens in the text without white space."""
    ends = np.cumsum([0, *(len("".join(token.split())) for token in tokens)]).tolist()
    return set(zip(ends, ends[1:]))


def measure_treebank(english: English, sentences: Sequence[Sentence]) -> dict[str, dict]:
    """Measures on a treebank: tags, and where it has the text, boundaries of tokens and of sentences, and names.

    Tags are those of the treebank's own tokens, punctuation too. Sentence ends are those inside paragraphs, the
    sentences of a paragraph joined by one blank. Names with predicted tags are compared with those that the same rules
    find with the true tags, which measures what wrong tags cost, not whether the rules are right.
    """
    predicted = english.tag([sentence.words for sentence in sentences])
    true = list(map(tags_of, sentences))
    result = {"Penn tags": f_score(map(set, map(enumerate, predicted)), map(set, map(enumerate, true)))}
    coarse = ([set(enumerate(map(coarse_tag, tags))) for tags in some] for some in (predicted, true))
    result["coarse parts of speech"] = f_score(*coarse)
    if "text" not in sentences[0].metadata:
        return result
    found = (_spans(tokenize(sentence.text)) for sentence in sentences)
    result["token boundaries, F"] = f_score(found, (_spans(sentence.words) for sentence in sentences))
    numbers = np.cumsum([any(key.startswith(("newpar", "newdoc")) for key in s.metadata) for s in sentences])
    texts = pd.Series([sentence.text for sentence in sentences]).groupby(numbers)
    joined = texts.agg(" ".join)
    found = ({end for _, end in english.sentence_spans(text)} - {len(text)} for text in joined)
    wanted = (set((np.cumsum(part.str.len() + 1) - 1)[:-1].tolist()) for _, part in texts)
    result["sentence ends, F"] = f_score(found, wanted)
    names = ([set(english.names(s.words, t)) for s, t in zip(sentences, tags)] for tags in (predicted, true))
    result["names with predicted against true tags, F"] = f_score(*names)
    return result


def measure_names(english: English, texts: Iterable[str], entities: Iterable[list[list[int]]]) -> dict[str, Any]:
    """F score of names in annotated texts: a name is right if it starts and ends where the annotation does."""
    found = []
    for sentences in english.analyse(texts):
        placed = [(s.start, token_spans(s.text), s.names) for s in sentences]
        found.append({(at + t[a][0], at + t[b - 1][1]) for at, t, names in placed for a, b in names})
    return f_score(found, [set(map(tuple, spans)) for spans in entities])


def measure(english: English, tests: Sequence[str | Path], names: str | Path) -> dict[str, dict]:
    """All measures: rows ``measure | test set`` with value, interval and n."""
    rows: dict[str, dict] = {}
    for path in tests:
        measured = measure_treebank(english, list(read_treebank(path)))
        rows |= {f"{name} | {Path(path).name.split('.')[0]}": numbers for name, numbers in measured.items()}
    for part, annotated in pd.read_json(names, lines=True).groupby("part"):
        rows[f"names, F | entities-en {part}"] = measure_names(english, annotated["text"], annotated["entities"])
    return rows


def render_table(columns: dict[str, dict[str, dict]]) -> str:
    """The measures as a Markdown table, one column per engine."""
    lines = ["| measure | test set | n | " + " | ".join(columns) + " |", "|---|---|---:|" + "---:|" * len(columns)]
    for row, shipped in columns["shipped"].items():
        found = (rows.get(row) for rows in columns.values())
        cells = [f"{one['value']:.4f} [{one['low']:.4f}, {one['high']:.4f}]" if one else "" for one in found]
        lines.append(f"| {row} | {shipped['n']:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_measures(folder: str | Path, measured: dict[str, dict]) -> str:
    """Write ``accuracy.json`` and the table of the model card, where there is one; other engines' numbers stay."""
    target = Path(folder) / "accuracy.json"
    columns = json.loads(target.read_text(encoding="utf-8")) if target.is_file() else {}
    columns["shipped"] = measured
    target.write_text(json.dumps(columns, indent=1) + "\n", encoding="utf-8")
    table = render_table(columns)
    fill_table(Path(folder) / "README.md", "accuracy", table)
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(prog="python tools/text_models.py", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train both models")
    training.add_argument("--treebank", required=True, help="CoNLL-U file with Penn tags (UD English EWT, train)")
    training.add_argument("--text", required=True, help="JSON lines with paragraphs (Wikipedia articles)")
    training.add_argument("--out", default=SHIPPED, help="folder that takes the models")
    measuring = commands.add_parser("measure", help="measure models on test sets")
    measuring.add_argument("--models", default=SHIPPED, help="folder of the models")
    measuring.add_argument("--test", nargs="+", required=True, help="CoNLL-U files or NLTK's treebank.zip")
    measuring.add_argument("--names", default=paths.data_dir() / "corpus" / "entities-en.jsonl")
    options = parser.parse_args(arguments)

    def run() -> None:
        if options.command == "train":
            train(options.treebank, options.text, options.out)
        else:
            measured = measure(engines.load_english(options.models), options.test, options.names)
            print(write_measures(options.models, measured))

    return status(run)


if __name__ == "__main__":
    raise SystemExit(main())
