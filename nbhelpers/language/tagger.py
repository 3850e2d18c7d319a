"""A fast averaged-perceptron part-of-speech tagger that decides exactly as NLTK's.

The model is Matthew Honnibal's greedy averaged perceptron as implemented in `nltk.tag.perceptron`: the same features,
the same tag dictionary for unambiguous words, the same ties. What differs is the order of the work. NLTK adds up a
dictionary of weights for one token after the other. Here the part of every token's score that depends on words alone
is added up for all tokens at once, and only the part that depends on the two tags before it is left to a loop, which
advances all sentences together by one token a step.

Weights are whole thousandths (NLTK rounds its averages to three decimals), so that sums are exact. Where two tags
share the highest sum, NLTK's choice is decided by the rounding of its floating-point sum: these few tokens are summed
again in NLTK's own order.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from nbhelpers.base.errors import DataFormatError, InputError, ModelError

SCALE = 1000
"""Weights are stored as integers, in units of 1 / SCALE."""

BLOCK_TOKENS = 40_000
"""Tokens tagged at once: bounds the memory (about 200 bytes of scores per token and tag set)."""

_START = ("-START-", "-START2-")
_END = ("-END-", "-END2-")
# How the marks stand among the words of a block: no token looks like them.
_START_MARKS = tuple("\0" + mark for mark in _START)
_END_MARKS = tuple("\0" + mark for mark in _END)
_FORMAT = "nbhelpers-perceptron-1"


def normalize(word: str) -> str:
    """Word as the context features see it, as `nltk.tag.perceptron.PerceptronTagger.normalize` gives it."""
    if "-" in word and word[0] != "-":
        return "!HYPHEN"
    if word.isdigit() and len(word) == 4:
        return "!YEAR"
    if word and word[0].isdigit():
        return "!DIGITS"
    return word.lower()


def features(index: int, word: str, context: Sequence[str], previous: str, previous_2: str) -> list[str]:
    """The features of one token, in NLTK's order.

    Parameters
    ----------
    index : int
        Position of the token in the sentence, from 0.
    word : str
        The token.
    context : sequence of str
        The normalised sentence between two start and two end marks.
    previous, previous_2 : str
        The tags of the token before and of the one before that.
    """
    i = index + 2
    return [
        "bias",
        "i suffix " + word[-3:],
        "i pref1 " + word[:1],
        "i-1 tag " + previous,
        "i-2 tag " + previous_2,
        f"i tag+i-2 tag {previous} {previous_2}",
        "i word " + context[i],
        f"i-1 tag+i word {previous} {context[i]}",
        "i-1 word " + context[i - 1],
        "i-1 suffix " + context[i - 1][-3:],
        "i-2 word " + context[i - 2],
        "i+1 word " + context[i + 1],
        "i+1 suffix " + context[i + 1][-3:],
        "i+2 word " + context[i + 2],
    ]


class PerceptronTagger:
    """Tags sentences with a trained averaged perceptron.

    Parameters
    ----------
    weights : mapping of str to mapping of str to float
        Feature to tag to weight, as in NLTK's ``AveragedPerceptron.weights``. Weights must be whole thousandths, as
        NLTK's are after averaging.
    tag_dictionary : mapping of str to str
        Words that always get the same tag.
    classes : iterable of str
        All tags.

    Raises
    ------
    ModelError
        If a weight is not a whole number of thousandths or a tag is unknown.
    """

    def __init__(self, weights: Mapping[str, Mapping[str, float]], tag_dictionary: Mapping[str, str], classes) -> None:
        # Descending, so that the first of several best columns is NLTK's choice: the greatest label.
        self.tags = sorted(classes, reverse=True)
        column = {tag: number for number, tag in enumerate(self.tags)}
        unknown = {tag for row in weights.values() for tag in row} | set(tag_dictionary.values())
        unknown -= set(column)
        if unknown:
            raise ModelError(f"the tagger has weights for tags that are not among its classes: {sorted(unknown)}")
        names = list(weights)
        matrix = np.zeros((len(names) + 1, len(self.tags)), np.int32)  # row 0 stands for every unknown feature
        for number, name in enumerate(names, start=1):
            for tag, weight in weights[name].items():
                thousandths = round(weight * SCALE)
                if abs(weight * SCALE - thousandths) > 1e-6:
                    raise ModelError(f"weight {weight!r} of feature {name!r} is not a whole number of thousandths")
                matrix[number, column[tag]] = thousandths
        self._set_up(names, matrix, dict(tag_dictionary))

    def _set_up(self, names: list[str], matrix: np.ndarray, tag_dictionary: dict[str, str]) -> None:
        self.tag_dictionary = tag_dictionary
        self._matrix = matrix
        self._row = {name: number for number, name in enumerate(names, start=1)}
        self._column = {tag: number for number, tag in enumerate(self.tags)}
        # Tags before a token, with the two start marks behind the real tags.
        self._tags_before = [*self.tags, *_START]
        count = len(self._tags_before)
        row, get = self._row, self._row.get
        self._bias = matrix[get("bias", 0)]
        previous = matrix[[get("i-1 tag " + tag, 0) for tag in self._tags_before]]
        before = matrix[[get("i-2 tag " + tag, 0) for tag in self._tags_before]]
        pair = np.array(
            [[get(f"i tag+i-2 tag {p} {q}", 0) for q in self._tags_before] for p in self._tags_before], np.intp
        )
        self._tag_history = (previous[:, None] + before[None, :] + matrix[pair]).reshape(count * count, -1)
        # Rows of the features "tag before + word", word by word: row 0 for words without any.
        number_of_tag = {tag: number for number, tag in enumerate(self._tags_before)}
        self._word_history: dict[str, int] = {}
        rows = [np.zeros(count, np.int32)]
        for name, number in row.items():
            if name.startswith("i-1 tag+i word "):
                tag, _, word = name[len("i-1 tag+i word ") :].partition(" ")
                if tag in number_of_tag:
                    place = self._word_history.setdefault(word, len(rows))
                    if place == len(rows):
                        rows.append(np.zeros(count, np.int32))
                    rows[place][number_of_tag[tag]] = number
        self._history_rows = np.stack(rows)
        self._types: dict[str, int] = {}
        self._type_rows = np.zeros((0, 11), np.int32)

    # ---------------------------------------------------------------- files

    @classmethod
    def load(cls, path: str | Path) -> PerceptronTagger:
        """Read a model that `save` has written (JSON, gzip-compressed if the name ends in ``.gz``).

        Raises
        ------
        DataFormatError
            If the file is not such a model.
        """
        opener = gzip.open if str(path).endswith(".gz") else open
        try:
            with opener(path, "rt", encoding="utf-8") as stream:
                stored = json.load(stream)
            if stored["format"] != _FORMAT:
                raise ValueError(f"format is {stored['format']!r}, not {_FORMAT!r}")
            tagger = cls.__new__(cls)
            tagger.tags = list(stored["tags"])
            names = [group + rest for group, rests in stored["features"].items() for rest in rests]
            lengths = np.asarray(stored["weights_per_feature"], np.intp)
            matrix = np.zeros((len(names) + 1, len(tagger.tags)), np.int32)
            matrix[np.repeat(np.arange(1, len(names) + 1), lengths), np.asarray(stored["columns"], np.intp)] = stored[
                "weights"
            ]
            dictionary = {word: tag for tag, words in stored["tag_dictionary"].items() for word in words}
            tagger._set_up(names, matrix, dictionary)
        except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            raise DataFormatError(path, None, f"not a perceptron tagger: {error}") from error
        return tagger

    def save(self, path: str | Path) -> None:
        """Write the model as JSON (gzip-compressed if the name ends in ``.gz``; the bytes are reproducible)."""
        groups: dict[str, list[str]] = {}
        order: list[int] = []
        for name in sorted(self._row):
            cut = name.rfind(" ") + 1
            groups.setdefault(name[:cut], []).append(name[cut:])
        for group, rests in groups.items():
            order.extend(self._row[group + rest] for rest in rests)
        rows, columns = np.nonzero(self._matrix[order])
        dictionary: dict[str, list[str]] = {}
        for word, tag in sorted(self.tag_dictionary.items()):
            dictionary.setdefault(tag, []).append(word)
        stored = {
            "format": _FORMAT,
            "tags": self.tags,
            "tag_dictionary": dictionary,
            "features": groups,
            "weights_per_feature": np.bincount(rows, minlength=len(order)).tolist(),
            "columns": columns.tolist(),
            "weights": self._matrix[order][rows, columns].tolist(),
        }
        text = json.dumps(stored, ensure_ascii=False, separators=(",", ":")).encode()
        Path(path).write_bytes(gzip.compress(text, 9, mtime=0) if str(path).endswith(".gz") else text)

    def weights(self) -> dict[str, dict[str, float]]:
        """The weights in NLTK's form: feature to tag to weight."""
        return {
            name: {self.tags[c]: int(self._matrix[number, c]) / SCALE for c in np.nonzero(self._matrix[number])[0]}
            for name, number in self._row.items()
        }

    def to_nltk(self):
        """The same model as an `nltk.tag.perceptron.PerceptronTagger`, for comparison."""
        from nltk.tag.perceptron import PerceptronTagger as NltkTagger

        tagger = NltkTagger(load=False)
        tagger.decode_json_params((self.weights(), dict(self.tag_dictionary), list(self.tags)))
        return tagger

    @classmethod
    def from_nltk(cls, tagger) -> PerceptronTagger:
        """A fast tagger with the weights of an `nltk.tag.perceptron.PerceptronTagger`."""
        return cls(tagger.model.weights, tagger.tagdict, tagger.classes)

    # ---------------------------------------------------------------- tagging

    def tag(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Tags of many tokenised sentences.

        Parameters
        ----------
        sentences : sequence of sequences of str
            Tokens of each sentence; a sentence may be empty.

        Returns
        -------
        list of list of str
            One tag per token.

        Raises
        ------
        InputError
            If a sentence is a string or a token is not one.
        """
        result: list[list[str]] = []
        block: list[Sequence[str]] = []
        size = 0
        for sentence in sentences:
            if isinstance(sentence, str):
                raise InputError("the tagger takes lists of tokens, not strings: split the sentence into tokens first")
            block.append(sentence)
            size += len(sentence)
            if size >= BLOCK_TOKENS:
                result.extend(self._tag_block(block))
                block, size = [], 0
        result.extend(self._tag_block(block))
        return result

    def _numbers_of(self, words: list[str]) -> np.ndarray:
        """Numbers of word types, new types being added to the table of their feature rows."""
        types = self._types
        try:
            numbers = [types.setdefault(word, len(types)) for word in words]
        except TypeError as error:
            raise InputError(f"tokens are strings: {error}") from error
        known = len(self._type_rows)
        if len(types) > known:
            get, dictionary = self._row.get, self.tag_dictionary
            new = []
            for word in list(types)[known:]:
                if not isinstance(word, str):
                    self._types.clear()
                    self._type_rows = self._type_rows[:0]
                    raise InputError(f"tokens are strings, not {type(word).__name__}")
                # Start and end marks enter as context only, and are not normalised.
                form = word[1:] if word.startswith("\0-") else normalize(word)
                new.append(
                    (
                        get("i suffix " + word[-3:], 0),
                        get("i pref1 " + word[:1], 0),
                        get("i word " + form, 0),
                        get("i-1 word " + form, 0),
                        get("i-1 suffix " + form[-3:], 0),
                        get("i-2 word " + form, 0),
                        get("i+1 word " + form, 0),
                        get("i+1 suffix " + form[-3:], 0),
                        get("i+2 word " + form, 0),
                        self._word_history.get(form, 0),
                        self._column[dictionary[word]] if dictionary.get(word) else -1,
                    )
                )
            self._type_rows = np.concatenate([self._type_rows, np.asarray(new, np.int32)])
        return np.asarray(numbers, np.intp)

    def _tag_block(self, block: list[Sequence[str]]) -> list[list[str]]:
        lengths = np.array([len(sentence) for sentence in block], np.intp)
        if not lengths.sum():
            return [[] for _ in block]
        if len(self._types) > 400_000:  # bounds the memory of a long run over ever new words
            self._types.clear()
            self._type_rows = self._type_rows[:0]
        flat: list[str] = []
        for sentence in block:
            flat.extend(_START_MARKS)
            flat.extend(sentence)
            flat.extend(_END_MARKS)
        numbers = self._numbers_of(flat)
        starts = np.concatenate([[0], np.cumsum(lengths + 4)[:-1]]) + 2  # first token of each sentence in `flat`
        rows = self._type_rows[numbers]
        chosen = rows[:, 10].copy()

        # What depends on words alone, for every token that the dictionary does not decide.
        is_token = np.zeros(len(flat), bool)
        is_token[np.repeat(starts, lengths) + _within(lengths)] = True
        open_places = np.flatnonzero(is_token & (chosen < 0))
        static_row = np.full(len(flat), -1, np.intp)
        static_row[open_places] = np.arange(len(open_places))
        matrix = self._matrix
        static = np.broadcast_to(self._bias, (len(open_places), len(self.tags))).copy()
        for feature, shift in ((0, 0), (1, 0), (2, 0), (3, -1), (4, -1), (5, -2), (6, 1), (7, 1), (8, 2)):
            static += matrix[rows[open_places + shift, feature]]

        # What depends on the tags before: all sentences advance by one token a step, longest sentences first.
        count = len(self._tags_before)
        order = np.argsort(-lengths, kind="stable")
        first = starts[order]
        alive = np.searchsorted(-lengths[order], -np.arange(lengths.max()), side="left")
        previous = np.full(len(block), count - 2, np.intp)  # -START-
        before = np.full(len(block), count - 1, np.intp)  # -START2-
        for step in range(int(lengths.max())):
            living = alive[step]
            place = first[:living] + step
            tags = chosen[place]
            undecided = np.flatnonzero(tags < 0)
            if len(undecided):
                here = place[undecided]
                p, q = previous[undecided], before[undecided]
                scores = static[static_row[here]]
                scores += self._tag_history[p * count + q]
                scores += matrix[self._history_rows[rows[here, 9], p]]
                best = scores.argmax(axis=1)
                highest = scores[np.arange(len(best)), best]
                for tie in np.flatnonzero((scores == highest[:, None]).sum(axis=1) > 1):
                    sentence = block[order[undecided[tie]]]
                    best[tie] = self._as_nltk_sums(sentence, step, int(p[tie]), int(q[tie]))
                tags[undecided] = best
                chosen[here] = best
            before[:living], previous[:living] = previous[:living], tags
        names = np.array(self.tags, object)[chosen]
        return [names[start : start + length].tolist() for start, length in zip(starts, lengths, strict=True)]

    def _as_nltk_sums(self, sentence: Sequence[str], index: int, previous: int, before: int) -> int:
        """Column of the best tag, summed in floating point in NLTK's order (decides exact ties as NLTK does)."""
        context = [*_START, *(normalize(word) for word in sentence[max(0, index - 2) : index + 3]), *_END]
        if index > 2:  # only the neighbourhood of the token was normalised
            index_in_context = 2
        else:
            index_in_context = index
        total = np.zeros(len(self.tags))
        names = features(
            index_in_context, sentence[index], context, self._tags_before[previous], self._tags_before[before]
        )
        for name in names:
            total += self._matrix[self._row.get(name, 0)] / SCALE
        return int(total.argmax())


def _within(lengths: np.ndarray) -> np.ndarray:
    """0, 1, …, length - 1 for each length, in a row."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1]) - np.repeat(ends - lengths, lengths)
