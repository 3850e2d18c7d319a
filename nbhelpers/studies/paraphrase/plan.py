"""What the experiments of section 5 compare: each summary with the best extract and the best abstract of its topic."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from nbhelpers.base.errors import InputError
from nbhelpers.studies.paraphrase.summaries import CandidateSummary, SummaryCollection, SummaryTopic

BASELINE = "ROUGE-1"

EXPERIMENTS = {
    "EX-1": ("extract", "extract"),
    "EX-2": ("abstract", "extract"),
    "EX-3": ("extract", "abstract"),
    "EX-4": ("abstract", "abstract"),
}
"""Kind evaluated and kind of the reference, with the numbers of Tables 4 and 5; the list in section 5.1 has EX-2 and
EX-3 the other way round."""

WRITTEN = {"extract-written": ("extract", "written"), "abstract-written": ("abstract", "written")}
"""The same with all references that were written for the topic."""

EACH = {"extract-each": ("extract", "each"), "abstract-each": ("abstract", "each"), "all-each": ("", "each")}
"""With one of those references at a time, and with extracts and abstracts in one ranking."""


@dataclass(frozen=True)
class Comparison:
    """A summary to be scored against its references, in one experiment."""

    experiment: str
    topic: str
    references: tuple[CandidateSummary, ...]
    candidate: CandidateSummary


@dataclass(frozen=True)
class Plan:
    """What is compared with what.

    Attributes
    ----------
    rows : tuple of Comparison
        Topic by topic; scores of a method are an array in this order.
    collection, language : str
    signature : str
        The collection's, and how references were chosen.
    ties : dict of str to int
        For each kind how many topics had several summaries with the highest score, in ``top`` plans.
    left_out : dict of str to tuple of str
        For each experiment the topics that have no reference or fewer than two summaries to rank.
    """

    rows: tuple[Comparison, ...] = field(repr=False)
    collection: str
    language: str
    signature: str
    ties: Mapping[str, int]
    left_out: Mapping[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def experiments(self) -> tuple[str, ...]:
        """Names of the experiments that have rows."""
        return tuple(sorted({row.experiment for row in self.rows}))

    @property
    def texts(self) -> list[str]:
        """Every text once, in order."""
        return list(dict.fromkeys(s.text for row in self.rows for s in (*row.references, row.candidate)))


def make_plan(collection: SummaryCollection, *, reference: str = "top", ties: str = "name", seed: int = 0) -> Plan:
    """List the comparisons of the experiments.

    Parameters
    ----------
    collection : SummaryCollection
    reference : {"top", "written", "each"}
        ``top``: the best extract and the best abstract of each topic by human score, references that have a score
        included; both are taken out, and the others are ranked against either (EX-1 to EX-4). ``written``: all
        abstracts that were written as references, against which all extracts and all abstracts are ranked. ``each``:
        the same with one of these abstracts at a time, and with extracts and abstracts together, too;
        `nbhelpers.studies.paraphrase.ranking.evaluate_scores` then takes the mean over the references of a topic.
    ties : {"name", "random"}
        Which of several best summaries becomes the reference. One that the collection gives as a reference always
        does; then the first by name, or one drawn with `seed` and the topic's name, which favours no system.
    seed : int

    Raises
    ------
    InputError
        An unknown choice, topics in different languages, or no topic allows any comparison.
    """
    if reference not in ("top", "written", "each") or ties not in ("name", "random"):
        raise InputError(
            f"reference is 'top', 'written' or 'each' and ties 'name' or 'random', not {reference!r} and {ties!r}."
        )
    if len({topic.language for topic in collection}) > 1:
        raise InputError(f"The topics of {collection.name} are in different languages; plan them one by one.")
    experiments = {"top": EXPERIMENTS, "written": WRITTEN, "each": EACH}[reference]
    rows: list[Comparison] = []
    left_out: dict[str, list[str]] = {name: [] for name in experiments}
    tied = {"extract": 0, "abstract": 0} if reference == "top" else {}
    for topic in collection:
        best: dict[str, CandidateSummary] = {}
        for kind in tied:
            if leaders := _leaders(topic, kind):
                tied[kind] += len(leaders) > 1
                best[kind] = random.Random(f"{seed}:{topic.id}").choice(leaders) if ties == "random" else leaders[0]
        pool = topic.judged if reference == "top" else topic.candidates
        for name, (evaluated, against) in experiments.items():
            others = [one for one in pool if evaluated in ("", one.kind) and one not in best.values()]
            if reference == "top":
                references = (best[against],) if against in best else ()
            else:
                references = tuple(one for one in topic.references if one.kind != "extract")
            if not references or len(others) < 2:
                left_out[name].append(topic.id)
                continue
            groups = [(one,) for one in references] if reference == "each" else [references]
            rows += [Comparison(name, topic.id, group, one) for group in groups for one in others]
    if not rows:
        raise InputError(f"{collection.name} has no topic with a reference and two summaries of one kind to rank.")
    choice = f"{ties}{seed}" if ties == "random" else ties
    signature = f"{collection.signature}|ref:{reference}" + (f"|ties:{choice}" if reference == "top" else "")
    skipped = {name: tuple(topics) for name, topics in left_out.items()}
    return Plan(tuple(rows), collection.name, collection.topics[0].language, signature, tied, skipped)


def _leaders(topic: SummaryTopic, kind: str) -> list[CandidateSummary]:
    """Summaries of a kind with the highest score, by name; only the references among them where there are such."""
    judged = [one for one in topic.judged if one.kind == kind]
    highest = max((one.score for one in judged), default=None)
    leaders = sorted((one for one in judged if one.score == highest), key=lambda one: one.id)
    return [one for one in leaders if one in topic.references] or leaders
