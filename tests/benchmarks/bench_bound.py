"""How few masked passes an exact search could need: a bound for an oracle that knows every result beforehand.

The model is a black box, so even an oracle has to send

* every masked copy of a text that is searched, and of it without a span that is deleted, since that NDD is the result;
* for each other span one masked copy. It serves other spans too where it is the same: deleting words a to b-1 and
  masking word b leaves what deleting a+1 to b and masking a leaves.

Copies that come again, in one iteration or in a later one, count once. The sentences are the first of the Google set
where it is found, else those of the treebank that ships.
"""

from collections import Counter
from math import ceil

import pytest
from side_by_side import judge, opt_in

from nbhelpers.language.mlm import MaskedLM
from nbhelpers.resources import data
from nbhelpers.studies.ndd import compression
from nbhelpers.studies.ndd.pairs import read_pairs
from nbhelpers.studies.ndd.span_search import candidate_spans


def searched(result):
    """Each text that was searched, with its places in the source and the places of each span that it lost."""
    kept = tuple(range(len(result.source)))
    for item in result.iterations:
        yield kept, {span.positions for span in item.deleted}
        kept = item.kept
    if result.stopped == compression.UNCHANGED:
        yield kept, set()


def counts(lm, result, settings) -> Counter:
    """Candidates, passes of the authors' algorithm, and passes at least, of one compression."""
    found, needed, others = Counter(), set(), {}

    def copies(places):
        encoded = lm.encode(compression.words_at(result.source, places))
        return {lm.request(encoded, index).input_ids for index in range(len(places))}

    for kept, deleted in searched(result):
        needed |= copies(kept)
        for start, stop in candidate_spans(len(kept), settings.longest_span, last_word=settings.last_word):
            rest = kept[:start] + kept[stop:]
            found += Counter(candidates=1, authors=2 * len(rest))
            if kept[start:stop] in deleted:
                needed |= copies(rest)
            else:
                others[compression.words_at(result.source, rest)] = copies(rest)
    left = [each for each in others.values() if not each & needed]
    serves = Counter(copy for each in left for copy in each)
    # no copy serves more spans than its own share says, so the shares add up to no more than the copies that are sent
    return found + Counter(least=len(needed) + ceil(sum(1 / max(map(serves.get, each)) for each in left) - 1e-9))


@opt_in
@pytest.mark.parametrize("setting, sentences", [("paper", 6), ("code", 10)])
def test_passes_at_least(setting, sentences):
    lm, settings = MaskedLM(), compression.SETTINGS[setting]
    located = data.find("google-compression", "auto")
    texts = [words for words, _ in read_pairs(located.path)[:sentences]]
    found = sum((counts(lm, result, settings) for result in compression.compress_many(lm, texts, settings)), Counter())
    result = {"data": located.identity, "setting": setting, "candidates": found["candidates"]}
    result |= {"passes": lm.forward_requests, "passes at least": found["least"]}
    result["passes, plain / search"] = found["authors"] / lm.forward_requests
    result["passes, plain / least"] = found["authors"] / found["least"]
    judge(result, {"passes, plain / least": result["passes, plain / search"]})
