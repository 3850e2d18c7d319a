"""Is it the model or the measure? How well a masked LM reads, and what NDD makes of it, model by model.

A model is judged by how well it predicts words of sentences that it has not seen, and by BLiMP (Warstadt et al. 2020,
"BLiMP: the benchmark of linguistic minimal pairs for English", TACL): whether the grammatical one of two sentences has
the higher pseudo-log-likelihood (Salazar et al. 2020, "Masked language model scoring", ACL). Beside that stand NDD and
a variant that sees the edited word: NDD asks only its neighbours, and is blind to what stands in its place.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nbhelpers.base import stats
from nbhelpers.base.errors import DataFormatError, InputError
from nbhelpers.base.files import open_text
from nbhelpers.language.mlm import MaskedLM, MaskRequest, Question
from nbhelpers.metrics.ndd import NDDSettings, encode_edit, find_edits, split_words
from nbhelpers.resources import data
from nbhelpers.resources.base_model import ENCODER
from nbhelpers.resources.models import load_encoder, torch_dtype
from nbhelpers.studies.ndd.cases import score_edits

if TYPE_CHECKING:
    import pandas

SCORES = ("NDD", "edited word", "NDD + edited word", "perplexity ratio", "1 - cosine")
"""Columns of `measure`; each is higher the more an edit is said to change."""


def with_random_weights(lm: MaskedLM, seed: int = 0) -> MaskedLM:
    """An engine of the same kind whose model has never been trained: the baseline of every model."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = type(lm.loaded.model)(lm.loaded.model.config).to(lm.loaded.device).eval()
    loaded = dataclasses.replace(lm.loaded, name="random weights", model=model, revision=f"seed{seed}")
    return MaskedLM(loaded, mask=lm.mask)


ENCODERS = {"MiniLM encoder": "all-MiniLM-L6-v2", "MPNet encoder": ENCODER}
"""Sentence encoders by a short name: what ``embedded`` and ``base`` were made from."""


def encoder_as_masked_lm(name: str, dtype: str = "float32") -> MaskedLM:
    """A sentence encoder read as a masked LM that was never trained to predict words.

    The head multiplies with the identity (its activation stays), normalises to half the usual scale and compares with
    the word vectors: a position "expects" the words whose vectors are nearest to its own. So it has what the encoder
    knows of the sentence, and no language model.

    Parameters
    ----------
    name : str
        A key of `ENCODERS`, or an encoder for `nbhelpers.resources.models.load_encoder`, of the kinds BERT or MPNet.
    dtype : {"float32", "bfloat16"}

    Raises
    ------
    ResourceNotFoundError
        The encoder is not installed; ``make base`` fetches MPNet's.
    """
    import torch
    from transformers import AutoModelForMaskedLM

    loaded = load_encoder(ENCODERS.get(name, name), dtype=dtype).loaded
    model = AutoModelForMaskedLM.from_config(loaded.model.config).to(loaded.device, torch_dtype(dtype)).eval()
    model.base_model.load_state_dict(loaded.model.state_dict(), strict=False)  # all but its pooler
    model.tie_weights()
    head = model.lm_head if hasattr(model, "lm_head") else model.cls.predictions.transform
    with torch.no_grad():
        torch.nn.init.eye_(head.dense.weight)
        torch.nn.init.zeros_(head.dense.bias)
        (head.layer_norm if hasattr(head, "layer_norm") else head.LayerNorm).weight.fill_(0.5)
    return MaskedLM(dataclasses.replace(loaded, name=name, model=model))


def word_probabilities(lm: MaskedLM, texts: Sequence[Sequence[str]]) -> list[list[tuple[float, bool]]]:
    """For each word of each text its log-probability in nats, and whether the model expected it before all others.

    All pieces of the word are masked together, one mask for each; the log-probabilities of pieces are added.
    """
    questions, owners = [], []
    for number, words in enumerate(texts):
        encoded = lm.encode(words)
        for place, (start, stop) in enumerate(encoded.spans):
            request = lm.request(encoded, place, mask="pieces")
            questions.append(Question(request, targets=tuple(encoded.input_ids[start:stop])))
            owners.append(number)
    found: list[list[tuple[float, bool]]] = [[] for _ in texts]
    for owner, answer in zip(owners, lm.answer(questions)):
        found[owner].append((math.fsum(answer.log_probabilities), all(answer.likeliest)))
    return found


def reading_rows(lm: MaskedLM, texts: Sequence[Sequence[str]], *, resamples: int = 2000) -> list[dict[str, Any]]:
    """Cross-entropy in nats per word, and the share of words that were expected before all others, by sentence."""
    found = [np.array(words, dtype=float) for words in word_probabilities(lm, texts)]
    totals = np.array([(-one[:, 0].sum(), one[:, 1].sum(), len(one)) for one in found])

    def ratio(rows: Any) -> float:
        return float(rows[:, 0].sum() / rows[:, 1].sum())

    nats, hits = (stats.bootstrap(totals[:, [column, 2]], ratio, resamples=resamples) for column in (0, 1))
    return [
        {"column": "nats per word", "value": nats},
        {"column": "words expected first, %", "value": stats.percent(hits)},
    ]


def read_blimp(path: str | Path | None = None, each: int = 0, seed: int = 0) -> list[tuple[str, str, str]]:
    """Pairs of BLiMP: the phenomenon, the grammatical and the ungrammatical sentence.

    Parameters
    ----------
    path : path, optional
        A file with one JSON object a line; by default where `nbhelpers.resources.data.find` has it.
    each : int
        So many of each phenomenon, drawn at random; 0: all.
    seed : int

    Raises
    ------
    ResourceNotFoundError
        It is not on this machine; the message says how to get it.
    DataFormatError
        With file and line, for a line that is no such pair.
    """
    located = data.find("blimp", path, allow_shipped=False)
    found: dict[str, list[tuple[str, str, str]]] = {}
    with open_text(located.path) as lines:
        for line in lines:
            try:
                one = json.loads(line)
                good, bad, name = one["sentence_good"], one["sentence_bad"], one["UID"]
            except (ValueError, TypeError, KeyError) as error:
                raise DataFormatError(located.path, lines.line, f"is no pair of BLiMP ({error!r})") from None
            found.setdefault(name, []).append((name, good, bad))
    generator = np.random.default_rng(seed)
    drawn = ((pairs, generator.permutation(len(pairs))[: each or None]) for pairs in found.values())
    return [pairs[place] for pairs, places in drawn for place in sorted(places)]


def acceptability(lm: MaskedLM, pairs: Sequence[tuple[str, str, str]]) -> list[float]:
    """1 for each pair whose grammatical sentence has the higher pseudo-log-likelihood, 0 where not, 0.5 for a tie."""
    texts = list(dict.fromkeys(text for _, *both in pairs for text in both))
    sums = [math.fsum(value for value, _ in words) for words in word_probabilities(lm, list(map(split_words, texts)))]
    likelihood = dict(zip(texts, sums))
    return [(1 + np.sign(likelihood[good] - likelihood[bad])) / 2 for _, good, bad in pairs]


# ------------------------------------------------------------------------------------------------- the edited word


def edited_word(lm: MaskedLM, pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[float]:
    """How much less, or more, the context expects the new words of each edit than the old ones, in nats, at least 0.

    For each edit all of its words are masked at once, in the original for the old ones and in the edited text for the
    new ones. Its term is the absolute difference of their mean log-probabilities per word; for a deletion or an
    insertion it is the mean surprise of the words that went or came. A pair has the sum over its edits: the weight of
    the distance 0 is 1.
    """
    questions: list[Question] = []
    owners: list[tuple[int, int, int, int]] = []  # pair, edit, sign, words
    for number, (original, edited) in enumerate(pairs):
        edits, shift = find_edits(original, edited), 0
        texts = encode_edit(lm, original, edited, edits)
        for place, edit in enumerate(edits):
            spans = (edit.start, edit.stop), (edit.start + shift, edit.start + shift + len(edit.replacement))
            shift += len(edit.replacement) - (edit.stop - edit.start)
            for sign, encoded, (first, last) in zip((1, -1), texts, spans):
                if first < last:
                    start, stop = encoded.spans[first][0], encoded.spans[last - 1][1]
                    masked = lm.request(encoded, first, mask="pieces").input_ids[start : start + 1] * (stop - start)
                    ids = encoded.input_ids[:start] + masked + encoded.input_ids[stop:]
                    request = MaskRequest(ids, tuple(range(start, stop)))
                    questions.append(Question(request, targets=tuple(encoded.input_ids[start:stop])))
                    owners.append((number, place, sign, last - first))
    terms: dict[tuple[int, int], float] = {}
    for (number, place, sign, words), answer in zip(owners, lm.answer(questions)):
        value = sign * math.fsum(answer.log_probabilities) / words
        terms[number, place] = terms.get((number, place), 0.0) + value
    totals = [0.0] * len(pairs)
    for (number, _), value in terms.items():
        totals[number] += abs(value)
    return totals


def measure(lm: MaskedLM, pairs: Sequence[tuple[str, str]], settings: NDDSettings = NDDSettings()) -> pandas.DataFrame:
    """`SCORES` of each pair of texts, one line each."""
    import pandas

    scores = score_edits(lm, pairs, settings=settings)
    ndd = np.array([one.ndd for one in scores])
    seen = np.array(edited_word(lm, [tuple(map(split_words, pair)) for pair in pairs]))
    ratio, cosine = [one.perplexity_ratio for one in scores], [1 - one.cosine for one in scores]
    return pandas.DataFrame(dict(zip(SCORES, (ndd, seen, ndd + seen, ratio, cosine))))


def kind_rows(frame: pandas.DataFrame, model: str, *, resamples: int = 2000) -> list[dict[str, Any]]:
    """For NDD, the area under the ROC curve of each kind of edit that breaks the meaning against all that keep it.

    `frame` is `measure` with ``kind`` and ``label`` (1 kept, 0 changed); rows are named by the model.
    """
    kept, rows = frame[frame["label"] == 1], []
    for kind, broken in frame[frame["label"] == 0].groupby("kind", sort=False):
        labels = [1] * len(broken) + [0] * len(kept)
        area = stats.roc_auc_interval(labels, [*broken["NDD"], *kept["NDD"]], resamples=resamples)
        rows.append({"row": model, "column": f"AUC, {kind}", "value": area})
    return rows


def difference_rows(
    measured: Mapping[str, pandas.DataFrame], against: str, *, resamples: int = 2000
) -> list[dict[str, Any]]:
    """Areas under the ROC curve of NDD by each model minus those by the model `against`, on the same edits, paired.

    `measured` has a frame as that of `kind_rows` for each model. Columns are named as there, ``AUC, minimal pairs`` for
    all edits together, and ``AUC, grammatical pairs`` for those that a column ``grammatical`` marks (without it, all).
    """

    def area(rows: Any) -> float:  # rows of 1 changed, 0 kept, and NDD; undefined where one kind was not drawn
        return stats.roc_auc(*rows.T) if 0 < rows[:, 0].sum() < len(rows) else np.nan

    other, rows = measured[against], []
    kept = (other["label"] == 1).to_numpy()
    kinds = {f"AUC, {kind}": kept | (other["kind"] == kind).to_numpy() for kind in other["kind"][~kept].unique()}
    whole = np.ones(len(other), bool)
    sound = other["grammatical"].to_numpy() if "grammatical" in other else whole
    for column, chosen in {"AUC, grammatical pairs": sound, "AUC, minimal pairs": whole, **kinds}.items():
        for name in measured:
            if name != against:
                both = [np.column_stack([~kept, measured[one]["NDD"]])[chosen] for one in (name, against)]
                value = stats.paired_bootstrap(*both, statistic=area, resamples=resamples)
                rows.append({"row": f"{name} minus {against}", "column": column, "value": value})
    return rows


def detection_rows(
    frame: pandas.DataFrame, column: str, *, labels: str = "yes/no", resamples: int = 2000
) -> list[dict[str, Any]]:
    """How well each score tells changed from kept meaning, and NDD that sees the edited word against its rivals.

    Parameters
    ----------
    frame : DataFrame
        `SCORES`, with ``label`` (1 kept, 0 changed), ``item`` for labels ``best``, and for labels ``yes/no`` a
        ``group`` where pairs are not independent, such as edits of one source: groups are resampled, and n counts them.
    column : str
        Name of the test.
    labels : {"yes/no", "best"}
        Area under the ROC curve; or the share of items in which the one candidate that keeps the meaning has the lowest
        score (a tie counts as many times less as candidates share it).
    resamples : int

    Raises
    ------
    InputError
        Other labels.
    """
    import pandas

    if labels == "yes/no":
        changed = 1.0 - frame["label"].to_numpy()
        groups = frame["group"] if "group" in frame else pandas.Series(range(len(frame)))
        members = [np.flatnonzero(groups == name) for name in groups.unique()]

        def result(rows: Any) -> float:  # rows of groups drawn, and which score
            places = np.concatenate([members[int(group)] for group in rows[:, 0]])
            return stats.roc_auc(changed[places], frame[SCORES[int(rows[0, 1])]].to_numpy()[places])

        columns = {
            name: np.column_stack([range(len(members)), [place] * len(members)]) for place, name in enumerate(SCORES)
        }
        values = {name: stats.bootstrap(rows, result, resamples=resamples) for name, rows in columns.items()}
    elif labels == "best":
        result = np.mean
        columns = {name: np.array(list(_wins(frame, name))) for name in SCORES}
        values = {name: stats.bootstrap(hits, resamples=resamples) for name, hits in columns.items()}
    else:
        raise InputError(f"labels is yes/no or best, not {labels!r}")
    rows = [{"row": name, "column": column, "value": value} for name, value in values.items()]
    ours = SCORES[2]
    for rival in (name for name in SCORES if name != ours):
        value = stats.paired_bootstrap(columns[ours], columns[rival], statistic=result, resamples=resamples)
        rows.append({"row": f"{ours} minus {rival}", "column": column, "value": value})
    return rows


def _wins(frame: pandas.DataFrame, score: str) -> Iterator[float]:
    for _, item in frame.groupby("item", sort=False):
        lowest = item[score] == item[score].min()
        yield float((lowest & (item["label"] == 1)).sum() / lowest.sum())
