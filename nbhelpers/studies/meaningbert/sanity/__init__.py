"""Sanity checks of measures of meaning: what a rating must be where everybody knows the answer.

The two checks of the MeaningBERT study (Beauchemin, Saggion and Khoury 2023, section 3.3): identical sentences are to
be rated 100, unrelated ones 0. And graded checks beyond the study: edits with a dose, such as a share of the words
shuffled or of the numbers changed, and how well a metric tells edits that keep the meaning from edits that change it::

    sentences = lee_sentences(300)
    pairs = pandas.concat([checks.news_pairs(sentences), edited_pairs(graded_edits([s.text for s in sentences]))])
    items = checks.run(pairs, ["bleu", "rouge1-f1"])
    checks.summary(items, "lee"), detection(items, "bleu")

See the package's modules: ``pairs`` and ``checks`` (the study's two checks); ``edits``, ``swaps``, ``negation``
and ``reading`` (what is done to a sentence, and how much of it).
"""

from nbhelpers.studies.meaningbert.sanity.checks import detection, edited_pairs, shares
from nbhelpers.studies.meaningbert.sanity.edits import edits, graded_edits
from nbhelpers.studies.meaningbert.sanity.pairs import ArticleSentence, lee_sentences, word_soup
