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
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nbhelpers.base import paths, stats
from nbhelpers.base.errors import DataFormatError, InputError, NbhelpersError
from nbhelpers.language.english import (
    SENTENCES_FILE,
    TAGGER_FILE,
    English,
    as_tagger_sees,
    coarse_tag,
    load_english,
    save_sentence_model,
)
from nbhelpers.language.tagger import PerceptronTagger
from nbhelpers.language.tokens import ABBREVIATIONS, token_spans, tokenize
from nbhelpers.resources.treebank import iterate_conllu

ITERATIONS = 8
"""Passes of the perceptron over the treebank: more raise the development accuracy by 0.1 points or less."""

SEED = 0
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
_TABLE_START, _TABLE_END = "<!-- accuracy -->", "<!-- end of accuracy -->"


@dataclass(frozen=True)
class TreebankSentence:
    """A sentence of a treebank: its text (None where the format has none), tokens, Penn tags, and where it starts."""

    text: str | None
    tokens: tuple[str, ...]
    tags: tuple[str, ...]
    starts_paragraph: bool


def read_treebank(path: str | Path) -> list[TreebankSentence]:
    """Sentences of a CoNLL-U file (plain or ``.gz``), or of NLTK's ``treebank.zip`` (Penn Treebank sample).

    Raises
    ------
    DataFormatError
        As `nbhelpers.resources.treebank.read_conllu`.
    """
    path = Path(path)
    if path.suffix == ".zip":
        return list(_read_penn(path))
    return list(_read_conllu(path))


def _read_conllu(path: Path) -> Iterator[TreebankSentence]:
    for number, sentence in enumerate(iterate_conllu(path, require_tree=False)):
        new = number == 0 or any(key.startswith(("newpar", "newdoc")) for key in sentence.metadata)
        tags = tuple(token.xpos for token in sentence.tokens)
        yield TreebankSentence(sentence.metadata.get("text"), tuple(sentence.words), tags, new)


_PENN_LEAF = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
_PENN_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}


def _read_penn(path: Path) -> Iterator[TreebankSentence]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith(".mrg"):
                continue
            depth, start = 0, 0
            content = archive.read(name).decode("ascii")
            for place, character in enumerate(content):
                if character == "(":
                    if depth == 0:
                        start = place
                    depth += 1
                elif character == ")":
                    depth -= 1
                    if depth == 0:
                        leaves = [
                            (_PENN_BRACKETS.get(word, word).replace("\\/", "/"), tag)
                            for tag, word in _PENN_LEAF.findall(content[start : place + 1])
                            if tag != "-NONE-"
                        ]
                        words, tags = zip(*leaves, strict=True)
                        yield TreebankSentence(None, words, tags, True)


def read_paragraphs(path: str | Path, articles: int) -> list[str]:
    """Paragraphs of the first articles of a JSON-lines file with a list ``paragraphs`` in each line."""
    path = Path(path)
    opener = gzip.open if path.suffix == ".gz" else open
    result: list[str] = []
    with opener(path, "rt", encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            if number > articles:
                break
            try:
                result.extend(json.loads(line)["paragraphs"])
            except (ValueError, KeyError, TypeError) as error:
                raise DataFormatError(path, number, f"not an article with paragraphs: {error!r}") from error
    return result


# -------------------------------------------------------------------- training


def train_tagger(
    sentences: Sequence[TreebankSentence], iterations: int = ITERATIONS, seed: int = SEED
) -> PerceptronTagger:
    """NLTK's averaged perceptron, trained by NLTK on the sentences' Penn tags."""
    from nltk.tag.perceptron import PerceptronTagger as NltkTagger

    tagger = NltkTagger(load=False)
    state = random.getstate()
    try:
        random.seed(seed)  # NLTK shuffles the sentences with the global generator
        tagger.train([list(zip(as_tagger_sees(s.tokens), s.tags, strict=True)) for s in sentences], nr_iter=iterations)
    finally:
        random.setstate(state)
    return PerceptronTagger.from_nltk(tagger)


def train_sentences(paragraphs: Sequence[str], treebank: Sequence[TreebankSentence]):
    """Punkt's parameters and the common words.

    Punkt learns from the paragraphs. Of the abbreviations it finds, those stay that occur `LEAST_ABBREVIATION` times
    with their period. Added are the words that the treebank annotates as abbreviations (a token that ends in a
    period), twice or, if the paragraphs know them too, once, unless the paragraphs write them without a period ten
    times as often (*no*, *sun*).

    Returns
    -------
    parameters : nltk.tokenize.punkt.PunktParameters
    common : set of str
        Words that inside a sentence start with a small letter at least as often as with a capital.
    """
    from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTrainer

    trainer = PunktTrainer()
    trainer.train("\n\n".join(paragraphs), finalize=True)
    parameters = trainer.get_params()
    count = trainer._type_fdist
    annotated = Counter(
        token[:-1].lower()
        for sentence in treebank
        for token, tag in zip(sentence.tokens, sentence.tags, strict=True)
        if len(token) > 2 and token.endswith(".") and tag[:1].isalpha()
    )
    found = {word for word in parameters.abbrev_types if count[word + "."] >= LEAST_ABBREVIATION}
    found |= {word for word, times in annotated.items() if times >= 2 or count[word + "."] >= LEAST_ABBREVIATION}
    found = {word for word in found if count[word] <= 5 * count[word + "."]}
    # "No. 5": where "no" ends a sentence, the word that follows it decides.
    found |= ABBREVIATIONS | INITIALS | {"no"}
    parameters.abbrev_types = {word for word in found if _PLAIN_ABBREVIATION.fullmatch(word) and word.isascii()}
    for word in list(parameters.ortho_context):
        if count[word] + count[word + "."] < LEAST_WORD:
            del parameters.ortho_context[word]
    splitter = PunktSentenceTokenizer(parameters)
    small, capital = Counter(), Counter()
    for paragraph in paragraphs:
        for sentence in splitter.tokenize(paragraph):
            words = [token for token in tokenize(sentence) if token[0].isalpha()]
            for word in words[1:]:
                if word.islower():
                    small[word] += 1
                elif word[0].isupper():
                    capital[word.lower()] += 1
    common = {word for word, times in small.items() if times >= LEAST_WORD and times >= capital[word]}
    return parameters, common


def train(treebank: str | Path, text: str | Path, out: str | Path) -> None:
    """Train both models and write them to the folder `out`."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    sentences = read_treebank(treebank)
    parameters, common = train_sentences(read_paragraphs(text, ARTICLES), sentences)
    save_sentence_model(out / SENTENCES_FILE, parameters, common)
    train_tagger(sentences).save(out / TAGGER_FILE)


# -------------------------------------------------------------------- measures


def _share(hits: Sequence[bool] | np.ndarray, groups: Sequence[int]) -> dict:
    """Share of hits with an interval from resampling whole sentences (tokens of one sentence are not independent)."""
    totals = np.zeros((len(groups), 2))
    place = 0
    for number, size in enumerate(groups):
        totals[number] = sum(hits[place : place + size]), size
        place += size
    estimate = stats.bootstrap(totals, lambda rows: rows[:, 0].sum() / rows[:, 1].sum(), resamples=1000)
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": int(totals[:, 1].sum())}


def _f_score(counts: Sequence[tuple[int, int, int]]) -> dict:
    """F score from (right, found, wanted) per sentence or paragraph, with an interval from resampling them."""
    rows = np.asarray(counts, float)

    def f_score(part: np.ndarray) -> float:
        right, found, wanted = part.sum(axis=0)
        return float(2 * right / (found + wanted)) if found + wanted else float("nan")

    estimate = stats.bootstrap(rows, f_score, resamples=1000)
    right, found, wanted = rows.sum(axis=0)
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": int(wanted),
        "precision": right / found if found else None,
        "recall": right / wanted if wanted else None,
    }


def measure_tags(english: English, sentences: Sequence[TreebankSentence], *, coarse: bool = False) -> dict:
    """Accuracy of the tags on the treebank's own tokens, all tokens counted (punctuation too)."""
    predicted = english.tag([sentence.tokens for sentence in sentences])
    same = (lambda a, b: coarse_tag(a) == coarse_tag(b)) if coarse else (lambda a, b: a == b)
    hits = [same(a, b) for s, p in zip(sentences, predicted, strict=True) for a, b in zip(s.tags, p, strict=True)]
    return _share(hits, [len(sentence.tokens) for sentence in sentences])


def measure_names_on_gold_tags(english: English, sentences: Sequence[TreebankSentence]) -> dict:
    """F score of the names found with predicted tags against those that the same rules find with the true tags.

    This measures what wrong tags cost, not whether the rules are right.
    """
    tokens = [list(sentence.tokens) for sentence in sentences]
    predicted = english.names(tokens, english.tag(tokens))
    wanted = english.names(tokens, [sentence.tags for sentence in sentences])
    return _f_score([(len(set(p) & set(w)), len(p), len(w)) for p, w in zip(predicted, wanted, strict=True)])


def measure_tokens(english: English, sentences: Sequence[TreebankSentence]) -> dict:
    """F score of token boundaries: a token is right if it starts and ends where the treebank's does."""
    counts = []
    for sentence in sentences:
        if sentence.text is None:
            raise InputError("token boundaries are measured on a treebank that has the sentences' text")
        wanted = _cumulated("".join(token.split()) for token in sentence.tokens)
        found = _cumulated(english.tokenize(sentence.text))
        counts.append((len(wanted & found), len(found), len(wanted)))
    return _f_score(counts)


def _cumulated(tokens) -> set[tuple[int, int]]:
    spans, place = set(), 0
    for token in tokens:
        spans.add((place, place + len(token)))
        place += len(token)
    return spans


def measure_sentences(english: English, sentences: Sequence[TreebankSentence]) -> dict:
    """F score of sentence ends inside paragraphs, the sentences of a paragraph joined by one blank.

    The end of a paragraph is given, so it is not counted.
    """
    paragraphs: list[list[str]] = []
    for sentence in sentences:
        if sentence.text is None:
            raise InputError("sentence ends are measured on a treebank that has the sentences' text")
        if sentence.starts_paragraph or not paragraphs:
            paragraphs.append([])
        paragraphs[-1].append(sentence.text)
    counts = []
    for paragraph in paragraphs:
        text = " ".join(paragraph)
        ends = np.cumsum([len(sentence) + 1 for sentence in paragraph]) - 1
        wanted = set(ends[:-1].tolist())
        found = {end for _, end in english.sentence_spans(text)} - {len(text)}
        counts.append((len(wanted & found), len(found), len(wanted)))
    return _f_score(counts)


def read_names(path: str | Path) -> list[dict]:
    """The annotated sentences of ``data/corpus/entities-en.jsonl``: ``text``, ``entities`` (offsets), ``part``."""
    rows = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            if not all(0 <= start < end <= len(row["text"]) for start, end in row["entities"]):
                raise ValueError("an entity lies outside its sentence")
        except (ValueError, KeyError, TypeError) as error:
            raise DataFormatError(path, number, f"not an annotated sentence: {error}") from error
        rows.append(row)
    return rows


def measure_names(english: English, rows: Sequence[dict]) -> dict:
    """F score of names on annotated sentences: a name is right if it starts and ends where the annotation does."""
    counts = []
    for row in rows:
        found = set()
        for sentence in next(english.analyse([row["text"]])):
            spans = [(a + sentence.start, b + sentence.start) for a, b in token_spans(sentence.text)]
            found |= {(spans[first][0], spans[last - 1][1]) for first, last in sentence.names}
        wanted = {tuple(span) for span in row["entities"]}
        counts.append((len(wanted & found), len(found), len(wanted)))
    return _f_score(counts)


def measure(english: English, tests: Sequence[str | Path], names: str | Path) -> dict[str, dict]:
    """All measures of one engine: rows ``measure, test set`` with value, interval and n."""
    rows: dict[str, dict] = {}
    for path in tests:
        sentences = read_treebank(path)
        label = Path(path).name.split(".")[0]
        rows[f"Penn tags | {label}"] = measure_tags(english, sentences)
        rows[f"coarse parts of speech | {label}"] = measure_tags(english, sentences, coarse=True)
        if sentences[0].text is not None:
            rows[f"token boundaries, F | {label}"] = measure_tokens(english, sentences)
            rows[f"sentence ends, F | {label}"] = measure_sentences(english, sentences)
            rows[f"names with predicted against true tags, F | {label}"] = measure_names_on_gold_tags(
                english, sentences
            )
    annotated = read_names(names)
    for part in ("dev", "test"):
        rows[f"names, F | entities-en {part}"] = measure_names(
            english, [row for row in annotated if row["part"] == part]
        )
    return rows


def render_table(engines: dict[str, dict[str, dict]]) -> str:
    """The measures as a Markdown table, one column per engine."""
    lines = ["| measure | test set | n | " + " | ".join(engines) + " |", "|---|---|---:|" + "---:|" * len(engines)]
    for row in next(iter(engines.values())):
        kind, test = row.split(" | ")
        cells, n = [], ""
        for rows in engines.values():
            found = rows.get(row)
            if found is None:
                cells.append("")
                continue
            n = f"{found['n']:,}"
            cells.append(f"{found['value']:.4f} [{found['low']:.4f}, {found['high']:.4f}]")
        lines.append(f"| {kind} | {test} | {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_measures(folder: str | Path, engines: dict[str, dict[str, dict]]) -> None:
    """Write ``accuracy.json`` and put the table into the model card of the folder, where it has one."""
    folder = Path(folder)
    rounded = {
        engine: {
            row: {key: round(value, 6) if isinstance(value, float) else value for key, value in numbers.items()}
            for row, numbers in rows.items()
        }
        for engine, rows in engines.items()
    }
    (folder / "accuracy.json").write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
    card = folder / "README.md"
    if card.is_file():
        text = card.read_text(encoding="utf-8")
        if _TABLE_START in text and _TABLE_END in text:
            before, rest = text.split(_TABLE_START, 1)
            after = rest.split(_TABLE_END, 1)[1]
            table = render_table(engines)
            card.write_text(f"{before}{_TABLE_START}\n{table}\n{_TABLE_END}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; see the module's text."""
    parser = argparse.ArgumentParser(prog="python tools/text_models.py", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    folder = paths.data_dir() / "models" / "text-en"
    training = commands.add_parser("train", help="train both models")
    training.add_argument("--treebank", required=True, help="CoNLL-U file with Penn tags (UD English EWT, train)")
    training.add_argument("--text", required=True, help="JSON lines with paragraphs (Wikipedia articles)")
    training.add_argument("--out", default=str(folder), help="folder that takes the models")
    measuring = commands.add_parser("measure", help="measure models on test sets")
    measuring.add_argument("--models", default=str(folder), help="folder of the models")
    measuring.add_argument("--test", nargs="+", required=True, help="CoNLL-U files or NLTK's treebank.zip")
    measuring.add_argument("--names", default=str(paths.data_dir() / "corpus" / "entities-en.jsonl"))
    measuring.add_argument("--backends", nargs="*", default=["shipped"], help="engines to measure side by side")
    options = parser.parse_args(arguments)
    try:
        if options.command == "train":
            train(options.treebank, options.text, options.out)
        else:
            engines = {
                backend: measure(
                    load_english(backend, path=options.models if backend == "shipped" else None),
                    options.test,
                    options.names,
                )
                for backend in options.backends
            }
            write_measures(options.models, engines)
            print(render_table(engines))
    except NbhelpersError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
