"""Assessing the order of sentences by the similarity of adjacent ones (Ermakova, EVIA 2016).

Read a collection (`open_collection`, `from_texts`), `analyse` it, make measures (`similarity`, `standard_measures`; the
others are in the module ``measures``) and `run` the evaluation on degraded orders::

    analysed = analyse(open_collection("lee-background"))
    items = run(analysed, standard_measures(analysed))
    summary(items)

A document of one sentence has no adjacent sentences: equation 2 divides by zero, so its score is NaN, never 0 or 1. A
document without a word is left out when it is read, and reported. `run` takes documents of three sentences or more, as
two sentences have the same symmetric score in every order, and counts the others.
"""

from nbhelpers.studies.ordering.documents import from_texts, open_collection
from nbhelpers.studies.ordering.experiment import leads, run, summary, table1, with_n
from nbhelpers.studies.ordering.measures import (
    analyse,
    embedding_similarity,
    similarity,
    standard_measures,
    vector_similarity,
)
from nbhelpers.studies.ordering.orders import best_order, order_score
