"""BLEU, TER, ROUGE, METEOR, SARI, FKGL, iBLEU, FKBLEU and the trivial predictors: golden values and properties."""

import random
import re
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from tiny_wordnet import write_wordnet

from nbhelpers import metrics
from nbhelpers.base.errors import InputError, ResourceNotFoundError
from nbhelpers.metrics import external
from nbhelpers.metrics.lexical import bleu_scores
from nbhelpers.metrics.simplification import grade_level, ibleu_scores, sari_scores, syllables
from nbhelpers.resources import data

ROUGES = [name for name in metrics.names() if name.startswith("rouge")]
TRIVIAL = ["length-ratio", "source-recall", "token-f1"]
NAMES = ["bleu", "chrf", "ter", *ROUGES, "meteor", "sari", "fkgl", "ibleu", "fkbleu", *TRIVIAL]

SOURCES = [
    "The cat sat on the mat.",
    "In 1796 he was killed by rebels, who had taken the town a year before.",
    "Word",
    "It isn't true: the U.S. budget grew 3.5 % in 2001.",
    "A river runs through it. A river runs through it. A river runs through it.",
    "Mr. O'Neil's well-known cafe is on 5th Avenue",
    "a b c d e f g h",
]
CANDIDATES = [
    "On the mat the cat sat.",
    "Rebels killed him in 1796.",
    "word",
    "It is true. The budget of the United States grew. It grew by 3.5 % in 2001, which nobody knew then.",
    "A river runs through it.",
    "?? 5",
    "s t u v w x y z",
]


def score(name, sources, candidates, references=None, **options):
    return metrics.load(name, **options)(sources, candidates, references)


def one(name, candidate, *references, source="source", **options):
    return float(score(name, [source], [candidate], [list(references)], **options)[0])


# ---------------------------------------------------------------------------------------------------- golden values

ROMANIAN = (
    "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;",
    "producţia de zahăr brut se exprimă în zahăr alb;",
)


@pytest.mark.parametrize(
    ("smooth_method", "lowercase", "tokenize", "expected"),
    [
        ("exp", False, "13a", 8.493),
        ("none", False, "13a", 0.0),
        ("exp", True, "char", 42.0267),
    ],
)
def test_bleu_has_the_values_of_sacrebleus_own_tests(smooth_method, lowercase, tokenize, expected):
    options = dict(smooth_method=smooth_method, lowercase=lowercase, tokenize=tokenize)
    assert one("bleu", *ROMANIAN, **options) == pytest.approx(expected, abs=1e-3)
    assert one("bleu", "this is a cat", "okay thanks", **options | {"tokenize": "13a"}) == 0.0


@pytest.mark.parametrize(
    ("name", "candidate", "reference", "expected"),
    [
        # sacreBLEU's own tests
        ("ter", "dddd eeee ffff", "aaaa bbbb cccc", 100),
        ("ter", "d e f g h a b c", "a b c d e f g h", 100 / 8),
        # rouge-score's own tests
        ("rouge1-recall", "testing", "testing one two", 1 / 3),
        ("rouge1-f1", "testing", "testing one two", 1 / 2),
        ("rouge2-f1", "testing one", "testing one two", 2 / 3),
        ("rougeL-recall", "testing two", "testing one two", 2 / 3),
        ("rougeL-f1", "testing two", "testing one two", 4 / 5),
        # the examples of Wikipedia's article
        ("meteor", "on the mat sat the cat", "the cat sat on the mat", 0.5),
        ("meteor", "the cat was sat on the mat", "the cat sat on the mat", 0.9654),
        # by hand: precision 1, recall 3/4, one chunk of three
        ("meteor", "the cat sat", "the cat sat down", (0.75 / 0.975) * (1 - 0.5 / 27)),
        ("meteor", "accepting", "accepted", 0.5),
        ("meteor", "accepting", "refused", 0.0),
    ],
)
def test_known_values(name, candidate, reference, expected):
    assert one(name, candidate, reference) == pytest.approx(expected, abs=5e-5 if name == "meteor" else 1e-12)


def test_rouge_takes_all_parts_from_the_reference_with_the_best_f1():
    references = ["testing", "testing one two three", "testing one"]  # F1 2/3, 2/3, 1
    assert [one(f"rouge1-{part}", "testing one", *references) for part in ("precision", "recall", "f1")] == [1, 1, 1]
    assert one("rouge1-recall", "testing one", *references[:2]) == 1  # of two that are equally good the first


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch, nothing_at_hand):
    """METEOR without synonyms, whatever this machine has."""
    monkeypatch.setattr("nltk.data.path", ["/nowhere"])


def test_meteor_matches_synonyms_where_there_is_a_wordnet(tmp_path, monkeypatch):
    pair = ["my car stopped"], ["my auto stopped"]
    without = metrics.load("meteor")
    assert without(*pair)[0] == pytest.approx((2 / 3) * (1 - 0.5)) and "wordnet:none" in without.signature
    write_wordnet(tmp_path / "wordnet", {"noun": ["car auto"], "verb": [], "adj": [], "adv": []}, {})
    monkeypatch.setenv("NBHELPERS_DATA", str(tmp_path))
    with_synonyms = metrics.load("meteor")
    assert with_synonyms(*pair)[0] == pytest.approx(1 - 0.5 / 27)
    assert f"wordnet:{data.find('wordnet').sha256[:8]}" in with_synonyms.signature
    monkeypatch.setattr("nltk.data.path", [])  # NLTK opens files only where this says so, also of what is loaded
    assert metrics.score_all(*pair, metrics=["meteor"])["values"]["meteor"] == with_synonyms(*pair)
    (tmp_path / "wordnet" / "index.noun").unlink()
    assert "damaged" in metrics.score_all(*pair, metrics=["meteor"])["missing"]["meteor"]


def test_meteor_does_without_a_wordnet_that_nltk_refuses(tmp_path, monkeypatch):
    write_wordnet(tmp_path / "corpora" / "wordnet", {"noun": ["car auto"], "verb": [], "adj": [], "adv": []}, {})
    monkeypatch.setattr("nltk.data.path", [str(tmp_path)])
    assert "wordnet:nltk" in metrics.load("meteor").signature

    def refuse(*_):
        raise PermissionError("Security Violation")

    monkeypatch.setattr("nltk.data.find", refuse)
    assert "wordnet:none" in metrics.load("meteor").signature


def test_sari_has_the_value_of_hugging_faces_card():
    source, candidate = "About 95 species are currently accepted .", "About 95 you now get in ."
    references = [
        "About 95 species are currently known .",
        "About 95 species are now accepted .",
        "95 species are now accepted .",
    ]
    assert one("sari", candidate, *references, source=source) == pytest.approx(26.953601953601954, abs=1e-12)


def plain_sari(source, candidate, references, undefined):
    """The three parts of SARI by the equations, in exact fractions."""

    def share(good, total):
        return Fraction(good) / total if total else Fraction(undefined)

    def f1(good, given, wanted):
        p, q = share(good, given), share(good, wanted)
        return 2 * p * q / (p + q) if p + q else Fraction(0)

    parts = np.array([Fraction(0)] * 3)
    for n in range(1, 5):
        texts = [source, candidate, *references]
        s, c, *rs = (Counter(tuple(t[i : i + n]) for i in range(len(t) - n + 1)) for t in texts)
        r = {g: Fraction(sum(x[g] for x in rs), len(rs)) for x in rs for g in x}
        added, to_add = set(c) - set(s), set(r) - set(s)
        kept, to_keep = {g: min(s[g], c[g]) for g in s}, {g: min(s[g], r.get(g, 0)) for g in s}
        gone, to_go = {g: s[g] - kept[g] for g in s}, {g: s[g] - to_keep[g] for g in s}
        kept_well, gone_well = (sum(min(a[g], b[g]) for g in s) for a, b in ((kept, to_keep), (gone, to_go)))
        parts[0] += f1(len(added & to_add), len(added), len(to_add))
        parts[1] += f1(kept_well, sum(kept.values()), sum(to_keep.values()))
        parts[2] += share(gone_well, sum(gone.values()))
    return (25 * parts).astype(float)


TOKENS = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)


@given(TOKENS, TOKENS, st.lists(TOKENS, min_size=1, max_size=3), st.sampled_from([0, 1]))
def test_sari_equals_the_equations(source, candidate, references, undefined):
    found = sari_scores(source, candidate, references, undefined)
    expected = plain_sari(source, candidate, references, undefined)
    assert [found.add, found.keep, found.delete] == pytest.approx(expected)
    assert found.value == pytest.approx(expected.mean())


WORDS = (
    "the:1 cat:1 table:2 make:1 changes:2 jumped:1 wanted:2 settled:2 created:3 area:3 science:2 society:4 nation:2 "
    "social:2 region:2 religious:3 video:3 million:2 being:2 playing:2 poem:2 quiet:2 question:2 language:2 guide:1 "
    "actual:3 january:4 situation:4 european:4 rhythm:2 tourism:3 didn't:2 can't:1 through:1 beautiful:3 university:5 "
    "lovely:2 hopeless:2 sentences:3 acre:2 watched:1 churches:2 times:1 something:2 experience:4 patient:2 studied:2 "
    "fruit:1 build:1 cruel:2 fire:1 cooperate:4 chaos:2 reality:4 ocean:2 individual:5 one:1 published:2 1796:1 "
    "the's:1 café:2 résumé:3 fiancée:3 cliché:2 müller:2 bogotá:3 pokémon:3 noël:2 crème:1 café's:2"
)


@pytest.mark.parametrize("entry", WORDS.split())
def test_syllables_are_those_of_the_dictionary(entry):
    word, count = entry.split(":")
    same = (word, word.upper(), f"“{word}.”", unicodedata.normalize("NFD", word))
    assert [syllables(text) for text in same] == [int(count)] * 4


@pytest.mark.parametrize(
    ("text", "words", "sentences", "count", "level"),
    [
        ("Go!", 1, 1, 1, -3.4),
        ("The cat sat on the mat.", 6, 1, 6, -1.45),  # in every textbook
        ("The Australian platypus is seemingly a hybrid of a mammal and reptilian creature.", 13, 1, 24, 11.265),
        ("The cat sat. It was well-fed, and it didn't move.", 10, 2, 12, 0.52),
    ],
)
def test_fkgl_is_the_formula_on_the_texts_counts(text, words, sentences, count, level):
    assert one("fkgl", text, "x") == pytest.approx(grade_level(words, sentences, count), abs=1e-12)
    assert grade_level(words, sentences, count) == pytest.approx(level, abs=5e-4)


def test_ibleu_and_fkbleu_are_made_of_bleu_and_grade_levels():
    references = [[text, "another text"] for text in reversed(CANDIDATES)]
    to_references, to_source = score("bleu", SOURCES, CANDIDATES, references), score("bleu", SOURCES, CANDIDATES)
    ibleu = score("ibleu", SOURCES, CANDIDATES, references)
    np.testing.assert_allclose(ibleu, 0.9 * to_references - 0.1 * to_source, atol=1e-12)
    difference = score("fkgl", SOURCES, CANDIDATES) - score("fkgl", CANDIDATES, SOURCES)
    fkbleu = score("fkbleu", SOURCES, CANDIDATES, references)
    np.testing.assert_allclose(fkbleu, ibleu * expit(difference), atol=1e-12)
    assert one("fkbleu", "so " * 3 + "incomprehensibilities " * 200, "x", source="so it is") <= 0  # no overflow


def test_trivial_predictors_by_hand():
    pair = ["The cat, the dog and the cow."], ["the cat and THE mouse"]  # 7 and 5 words, 4 in common
    assert [score(name, *pair)[0] for name in TRIVIAL] == pytest.approx([5 / 7, 4 / 7, 8 / 12])
    assert score("token-f1", ["?!"], ["?!"])[0] == 1  # marks count where there are no words


# ------------------------------------------------------------------------------------------------------- properties


def some_references():
    return [[other, f"{source[1:]} Or so."] for source, other in zip(SOURCES, reversed(CANDIDATES))]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_metric_declares_holds(name):
    metric = metrics.load(name)
    assert metric.signature.startswith(f"{name}|")
    low, high = metric.range
    for references in (None, some_references()):
        values = metric(SOURCES, CANDIDATES, references)
        assert values.dtype == np.float64 and values.shape == (len(SOURCES),)
        assert (values >= low).all() and (values <= high).all()
        assert len(set(values)) > 2  # it tells pairs apart
        if not metric.needs_reference:
            np.testing.assert_array_equal(values, metric(SOURCES, CANDIDATES))
    if metric.needs_reference:
        assert (metric(SOURCES, CANDIDATES, some_references()) != metric(SOURCES, CANDIDATES)).any()


@pytest.mark.parametrize("name", ["bleu", "ter", "sari", *ROUGES, *TRIVIAL])
def test_an_identical_pair_has_the_best_value(name):
    metric = metrics.load(name)
    texts = [text for text in SOURCES if len(text.split()) > 1]  # ROUGE-2 of a single word is 0
    np.testing.assert_allclose(metric(texts, texts), metric.range[metric.higher_means_same], atol=1e-12)
    np.testing.assert_allclose(metric.ratings(metric(texts, texts)), 100)


def test_identical_pairs_where_the_top_is_out_of_reach():
    text = "The cat sat on the mat , and it slept ."
    assert score("meteor", [text], [text])[0] == pytest.approx(1 - 0.5 / 11**3)
    assert score("ibleu", [text], [text])[0] == pytest.approx(80)
    assert score("fkbleu", [text], [text])[0] == pytest.approx(40)
    assert score("rouge2-f1", ["word"], ["word"])[0] == 0


MIRRORED = {f"rouge{kind}-precision": f"rouge{kind}-recall" for kind in "12L"}
MIRRORED |= {name: name for name in ("length-ratio", "token-f1", "rouge1-f1", "rouge2-f1", "rougeL-f1")}


@pytest.mark.parametrize(("name", "mirrored"), MIRRORED.items())
def test_a_metric_is_another_one_the_other_way_round(name, mirrored):
    np.testing.assert_allclose(score(name, SOURCES, CANDIDATES), score(mirrored, CANDIDATES, SOURCES), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_neither_order_nor_company_changes_a_value(name):
    metric, rows = metrics.load(name), list(zip(SOURCES, CANDIDATES, some_references()))
    together = metric(*zip(*rows))
    order = random.Random(0).sample([*range(len(rows))] * 2, 2 * len(rows))
    np.testing.assert_array_equal(metric(*zip(*(rows[i] for i in order))), together[order])
    np.testing.assert_array_equal([metric(*zip(row))[0] for row in rows], together)


# -------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("names", "source", "candidate", "message"),
    [
        (ROUGES, "猫が座った。", "the cat", "Latin letters.*'猫が座った。'"),
        (["fkgl"], "a cat", "?!", r"without a word.*'\?!'"),
        (["fkgl"], "a cat", "В 2019 году.", "Latin letters only; this text has none"),
        (["fkgl"], "a cat", "日本語の文", "Latin letters only; this text has none"),
        (["fkbleu"], "Мама", "a cat", "this text has none: 'Мама'"),
    ],
)
def test_texts_that_a_metric_cannot_read_are_refused_and_never_0(names, source, candidate, message):
    for name in names:
        with pytest.raises(InputError, match=message):
            score(name, ["a cat", source], ["a cat", candidate])
    assert score("fkgl", ["a cat"] * 3, ["42.", "É", "In Москва"]).shape == (3,)  # numbers are words without letters


# ------------------------------------------------------------------- agreement with EASSE's values for Simplicity-DA

PREFIXES = set(
    "Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Drs Ens Gen Gov Hon Hr Hosp Insp Lt "
    "MM MR MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt Sen Sens Sfc Sgt Sr St "
    "Supt Surg v vs i.e e.g Jan Feb Mar Apr Jun Jul Aug Sep Oct Nov Dec Jr Ltd".split()
) | set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def moses(text):
    """Tokens of English text by the rules of the Moses tokenizer, as far as these sentences need them."""
    text = re.sub(r"([^\w\s.'`,\-]|_)", r" \1 ", " ".join(text.split()))
    text = re.sub(r"(?<!\.)(\.{2,})(?!\.)", r" \1 ", text)
    text = re.sub(r"(?<!\d),|,(?!\d)", " , ", text)
    text = re.sub(r"(?<![^\W\d_])'(?![^\W\d_])|(?<!\w)'(?=[^\W\d_])|(?<=[^\W\d_])'(?![^\W\d_])", " ' ", text)
    text = re.sub(r"(?<=[^\W\d_])'(?=[^\W\d_])|(?<=\d)'(?=s)", " '", text)
    words, tokens = text.split(), []
    for word, following in zip(words, [*words[1:], ""]):
        stem = word[:-1]
        initial = "." in stem and re.search("[A-Za-z]", stem)
        keeps = initial or stem in PREFIXES or re.match("[a-z]", following)
        tokens += [word] if not word.endswith(".") or not stem.strip(".") or keeps else [stem, "."]
    return " ".join(tokens)


@pytest.fixture(scope="module")
def easse():
    """EASSE's values against ASSET, and the texts: sources, candidates, references."""
    try:
        names = ("simplicity-da", "simplicity-da-metrics", "asset")
        files = {name: data.find(name, allow_shipped=False).path for name in names}
    except ResourceNotFoundError as error:
        pytest.skip(str(error))

    metrics_of = pd.read_csv(files["simplicity-da-metrics"])
    rows = metrics_of[metrics_of["test_set"] == "asset"].merge(
        pd.read_csv(files["simplicity-da"], usecols=["sent_id", "sys_name", "simp_sent"]), validate="1:1"
    )
    assert len(rows) == 600
    original, *simple = (
        (files["asset"] / f"asset.test.{name}").read_text(encoding="utf-8").split("\n")
        for name in ("orig", *(f"simp.{number}" for number in range(10)))
    )
    numbers = rows["sent_id"] - 1
    references = [[reference[number] for reference in simple] for number in numbers]
    return rows, ([original[number] for number in numbers], list(rows["simp_sent"]), references)


def test_bleu_and_sari_are_easses_on_its_tokens(easse):
    values, (sources, candidates, references) = easse
    sources, candidates = list(map(moses, sources)), list(map(moses, candidates))
    references = [list(map(moses, given)) for given in references]
    theirs = ("none", "none", False)
    np.testing.assert_allclose(bleu_scores(candidates, references, *theirs), values["bleu"], atol=1e-9)
    for source, candidate, rated_with, (_, of) in zip(sources, candidates, references, values.iterrows()):
        found = sari_scores(source.split(), candidate.split(), [r.split() for r in rated_with], undefined=0)
        expected = [of["sari_add"], of["sari_keep"], of["sari_del"], of["sari"]]
        assert [found.add, found.keep, found.delete, found.value] == pytest.approx(expected, abs=1e-9)
    # Their second BLEU, to the source, is smoothed: it differs where a candidate has no 4-gram of the source.
    ibleu = np.array(ibleu_scores(sources, candidates, references, *theirs))
    same = np.array(bleu_scores(candidates, [[source] for source in sources], *theirs)) > 0
    assert same.mean() > 0.9
    np.testing.assert_allclose(ibleu[same], values["ibleu"][same], atol=1e-9)
    assert np.abs(ibleu - values["ibleu"]).max() < 5


@pytest.mark.parametrize(
    ("name", "correlation", "difference"),
    [("bleu", 0.97, 2), ("sari", 0.985, 0.5), ("ibleu", 0.97, 2), ("fkgl", 0.9, 2), ("fkbleu", 0.87, 3.5)],
)
def test_the_default_settings_stay_near_easse(easse, name, correlation, difference):
    """Tokenizer 13a, sacreBLEU's smoothing, 0/0 = 1; FKGL without punctuation, and our own syllables and sentences."""
    values, pairs = easse
    found = score(name, *pairs)
    assert np.corrcoef(found, values[name])[0, 1] > correlation
    assert np.abs(found - values[name]).mean() < difference


def test_the_formulas_of_fkbleu_and_of_the_means_with_samsa_are_those_of_easses_values(easse):
    """FKBLEU / iBLEU is the logistic function of the candidate's level less that of a source all systems share."""
    values = easse[0]
    scored = values[values["ibleu"] != 0]
    levels = (scored["fkgl"] - logit(scored["fkbleu"] / scored["ibleu"])).groupby(scored["sent_id"])
    assert (levels.max() - levels.min()).max() < 1e-6
    of = {name: values[name].to_numpy() for name in ("bleu", "samsa", "amean_bleu_samsa", "gmean_bleu_samsa")}
    np.testing.assert_allclose(external.arithmetic_mean(of["bleu"], of["samsa"]), of["amean_bleu_samsa"], atol=1e-8)
    np.testing.assert_allclose(external.geometric_mean(of["bleu"], of["samsa"]), of["gmean_bleu_samsa"], atol=1e-8)
