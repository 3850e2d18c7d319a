"""Numbers in words in the notebooks' prose: each stands there, and the evidence bears it out."""

import re

import pytest

from nbhelpers.resources import challenge
from nbhelpers.results import estimates, evidence, published
from nbhelpers.runner.record import text_files
from nbhelpers.studies import ordering
from nbhelpers.studies.meaningbert import audits
from nbhelpers.studies.ndd import lengths, predicates
from nbhelpers.studies.paraphrase import experiment, links
from nbhelpers.studies.pyramid import pairs


def compression():
    f1, b1, unedited = (
        published.value("ndd/table2", row, column)
        for row, column in (("NDD-based (ours)", "F1"), ("NDD-based (ours)", "B1"), ("Unedited", "B1"))
    )
    yield "02", "about 72 % of the words", f"{lengths.inferred(f1, b1, unedited)[1]:.0%}" == "72%"
    found = lengths.summary(evidence.load("ndd-compression"), worst=0.05)
    of_random = estimates.estimate(found, "NDD-based (ours)", "random words").value
    lead = published.value("ndd/table2", "NDD-based (ours)", "F1") - of_random
    yield "02", "less than half of the paper's 21.7 points", lead < 21.7 / 2
    yield "02", "about half of the way", 0.45 < lengths.share_of_lead(found).value < 0.6


def predicates_found():
    cells = predicates.summary(evidence.load("ndd-predicates"), resamples=50)
    rows = ("NDD-based Delete", "PPL-based Delete")
    ndd, ppl = (estimates.estimate(cells, row, "ENG-ID AUC", model="base").value for row in rows)
    paper = [published.value("ndd/table7", row, "ENG-ID AUC") for row in rows]
    yield "04", "our perplexity ranks predicates much better", ppl - paper[1] > 5
    yield "04", "less than half of the lead", 2 * (ndd - ppl) < paper[0] - paper[1]


def minimal_pairs():
    texts = challenge.read("minimal-pairs").frame
    kinds = texts[texts["kind"] != "agreement error"]
    yield "01", "96 pairs were written", len(texts) == 96 and texts["kind"].nunique() == 8
    yield "01", "takes the other 84 pairs", len(kinds) == 84
    yield "12", "six broken edits of a kind against all 42", (kinds["label"] == 1).sum() == 42
    yield "12", "**84 minimal pairs**", set(kinds[kinds["label"] == 0]["kind"].value_counts()) == {6}


def rated_pairs():
    found = evidence.load("meaningbert-csmd")
    others = ((found["published"] - found["restored"]).abs() > audits.TOLERANCE).sum()
    yield "05", f"{others} of the {len(found):,} published ratings", True
    yield "10", "Nearly half of the labels", 0.4 < others / len(found) < 0.5


def shared_words():
    found = pairs.by_overlap(evidence.load("pyramid-pairs"))
    three = found[(found["shared"] == pairs.SHARED[1]) & (found["column"] == "positives")].set_index("embedding")[
        "value"
    ]
    yield "06", "about twice as many of the positives", 1.7 < three["One-Hot, TF-IDF weights"] / three["One-Hot"] < 2.3


def orders():
    items = evidence.load("ordering-documents")
    kept = (
        items["collection"].isin(["bbc-news", "wikipedia-5000"]) & (items["measure"] == "Sim") & (items["model"] == "")
    )
    found = ordering.summary(items[kept], resamples=50)
    beaten = estimates.estimate(found, "Sim, bbc-news", "wins over R").value
    yield "07", "more than a third of those of news texts do not", beaten < 2 / 3
    nearly = estimates.estimate(found, "Sim, wikipedia-5000", "wins over R").value
    yield "07", "nearly all of those of Wikipedia articles", nearly > 0.9
    fall = estimates.estimate(found, "Sim, wikipedia-5000", "R falls by, %").value
    yield "07", "costs Sim more than a third of its score", fall > 100 / 3


def linked_words():
    shares = links.shares(evidence.load("paraphrase-links"))
    shares = shares[shares["column"] == "with a function word"].set_index("row")["value"]
    for name in ("08", "11"):
        yield name, "about two thirds of its links", ((shares["P"] > 0.6) & (shares["P"] < 0.73)).all()
    yield "08", "More than nine of ten links of S", (shares["S"] > 0.9).all()
    for letter in "PC":
        tally = experiment.tally(experiment.gains(experiment.stand_in(evidence.load("paraphrase-scores"), letter)))
        yield "08", "None of the paper's fifteen combinations", tally["surely better"].sum() == 0


@pytest.mark.parametrize(
    "said", [compression, predicates_found, minimal_pairs, rated_pairs, shared_words, orders, linked_words]
)
def test_numbers_in_words_stand_in_the_text_and_hold(said):
    texts = {path.name[:2]: re.sub(r"\n#\s+", " ", path.read_text(encoding="utf-8")) for path in text_files()}
    for name, words, holds in said():
        assert words in texts[name], f"{name} no longer says {words!r}"
        assert holds, f"{name} says {words!r}"
