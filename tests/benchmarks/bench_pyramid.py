"""The pyramid tests against plain loops: same machine, same texts, same vectors, side by side.

Topics are made up of random words that are
as frequent as English ones, so that 63 pyramids give at least 200,000 pairs and 9,000 questions, as in the paper.
The plain loop sums and normalises the vectors of both texts of each pair, as the first script one writes does;
it runs on a sample, and its time is scaled to the number of pairs. The plain distractor search compares the set of
words of each label with those of each segment of its topic; both searches start from texts that are split into words.
"""

import numpy as np
from side_by_side import judge, median_seconds, opt_in
from tiny_pyramids import make_pyramid

from nbhelpers.resources.vectors import WordVectors
from nbhelpers.studies import pyramid as study
from nbhelpers.studies.pyramid import tasks

PYRAMIDS, UNITS, WORDS, DIMENSIONS = 63, 64, 20_000, 300


def made_up_pyramids():
    """Pyramids whose contributors share some words with their SCU's label."""
    rng, pyramids = np.random.default_rng(0), []
    common = "the of to in a and is for by on with from".split()
    vocabulary = np.array(common + [f"w{n}" for n in range(WORDS - len(common))])
    for topic in range(PYRAMIDS):
        # Each topic has words of its own that come often, as the names in a story do.
        ranks = np.concatenate([np.arange(300), rng.choice(np.arange(200, WORDS), 60, replace=False)])
        weights = np.concatenate([1 / (np.arange(300) + 1.0), np.full(60, 0.05)])
        weights /= weights.sum()
        summaries, units = {name: [] for name in "ABCD"}, []
        for unit in range(UNITS):
            label = rng.choice(ranks, rng.integers(8, 17), p=weights)
            contributors = {}
            for name in "ABCD"[: 1 + rng.choice(4, p=[0.35, 0.25, 0.2, 0.2])]:
                changed = np.where(rng.random(len(label)) < 0.5, rng.choice(ranks, len(label), p=weights), label)
                contributors[name] = [" ".join(vocabulary[rng.permutation(changed)])]
                summaries[name] += contributors[name]
            units.append((str(unit), " ".join(vocabulary[label]), contributors))
        pyramids.append(make_pyramid(f"topic{topic:02}", summaries, units))
    matrix = rng.normal(size=(WORDS, DIMENSIONS)).astype(np.float32)
    return pyramids, WordVectors(tuple(vocabulary.tolist()), matrix, "made up")


def plain_vector(text: str, vectors) -> np.ndarray:
    known = [word for word in tasks.words.__wrapped__(text) if word in vectors.index]
    total = sum((vectors.matrix[vectors.index[word]] for word in known), np.zeros(DIMENSIONS, np.float32))
    return total / (np.linalg.norm(total) or 1)


def split_anew(function):
    """The function with texts that it splits into words itself."""

    def call():
        tasks.words.cache_clear()
        return function()

    return call


def plain_distractors(bags: list[set], units: list, question: int) -> list[int]:
    others = [n for n in range(len(bags)) if units[n] != units[question]]
    return sorted(others, key=lambda n: -len(bags[question] & bags[n]))[:3]


@opt_in
def test_scoring_is_fast_and_at_least_thirty_times_a_plain_loop():
    pyramids, vectors = made_up_pyramids()
    pairs, questions = study.pair_test(pyramids), study.question_test(pyramids)
    drawn = np.random.default_rng(1).choice(len(pairs), 3000, replace=False)
    sample = [(pairs.segments[pairs.left[n]].text, pairs.segments[pairs.right[n]].text) for n in drawn]
    items = tasks.Items.of(questions.segments)
    labels = np.array([segment.kind == "label" for segment in questions.segments])
    bags = [set(study.words(segment.text)) for segment in questions.segments]

    def search():
        for m in items.groups(False):
            tasks.nearest(items, m, np.flatnonzero(labels[m]), np.ones(len(m), bool), 3)

    def plain_search():
        for members in items.groups(False):
            group, units = [bags[n] for n in members], items.unit[members].tolist()
            for question in np.flatnonzero(labels[members]).tolist():
                plain_distractors(group, units, question)

    functions = {
        "pairs": lambda: study.score(pairs, vectors),
        "evaluation": lambda: [
            part.summary(part.run(pyramids, {"made up": vectors})) for part in (study.pairs, study.questions)
        ],
        "plain pairs": lambda: [float(plain_vector(a, vectors) @ plain_vector(b, vectors)) for a, b in sample],
        "plain search": plain_search,
        "search": search,
    }
    seconds = median_seconds({name: split_anew(function) for name, function in functions.items()})
    seconds["plain pairs"] *= len(pairs) / len(sample)
    result = {"pairs": len(pairs), "questions": len(questions)} | {f"{n}, seconds": s for n, s in seconds.items()}
    result |= {f"plain / {name}": seconds["plain pairs"] / seconds[name] for name in ("pairs", "evaluation")}
    result["plain / search"] = seconds["plain search"] / seconds["search"]
    bounds = {"pairs": 200_000, "questions": 9_000, "plain / pairs": 30, "plain / evaluation": 5, "plain / search": 3}
    judge(result, bounds)
