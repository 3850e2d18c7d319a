"""Matching words by paraphrases (Hirahara, Nanba, Takezawa & Okumura 2010, section 4.1), and the measure made of it.

`matcher` links the words of two texts by `tables` of paraphrases; `tokens` cuts the words for all of them. The two
tables that people made are here, `wordnet` and `variants`; those that are counted in texts are in
`nbhelpers.studies.paraphrase`.
"""

from __future__ import annotations

import nbhelpers
from nbhelpers.base.errors import RowError
from nbhelpers.metrics.metric import Compute, register


@register("paraphrase-matcher", "Paraphrase matcher", (0.0, 1.0), scale=100.0, seconds=0.002)
def paraphrase_matcher(dictionaries: str = "auto") -> tuple[str, Compute]:
    """Share of the source's words that the candidate has, a synonym or another form counted as the word (section 4.1).

    ``dictionaries`` are the two tables that people made, WordNet and variants: the best on this machine (``auto``) or
    those that come with the project (``shipped``).

    Examples
    --------
    >>> from nbhelpers.metrics import load
    >>> matcher = load("paraphrase-matcher", dictionaries="shipped")
    >>> matcher(["They bought a car ."], ["They purchased an automobile ."]).round(2).tolist()
    [0.75]
    """
    from nbhelpers.metrics.paraphrase.matcher import Index
    from nbhelpers.metrics.paraphrase.tokens import tokenize
    from nbhelpers.metrics.paraphrase.variants import load_variants
    from nbhelpers.metrics.paraphrase.wordnet import load_wordnet

    wordnet, variants = load_wordnet("en", dictionaries, parts_of_speech="nvarx"), load_variants("en", dictionaries)

    def compute(sources: list[str], candidates: list[str], references: list[list[str]]) -> list[float]:
        cut = {text: tokenize(text, "en") for text in {*sources, *candidates}}
        words = frozenset(word for text in cut.values() for word in text)
        tables = [wordnet.table(words), variants.table(words)]
        index, names, values = Index(tables), [table.name for table in tables], []
        for row, (source, candidate) in enumerate(zip(sources, candidates), start=1):
            if not cut[source]:
                raise RowError(row, f"there is no word in the source {source[:60]!r}")
            values.append(float(index.recalls(cut[source], cut[candidate], [names])[0]))
        return values

    return f"paraphrase-matcher|WN|{wordnet.signature}|{variants.signature}|v:{nbhelpers.__version__}", compute
