"""MeaningBERT (Beauchemin, Saggion & Khoury 2023): its data, its training, and the metrics it is compared with.

The metric itself is ``metrics.load("meaningbert")``. The modules, by the paper's tables:

* Tables 1 to 3, the rated pairs: `ratings` makes the items of ``meaningbert-csmd`` (each pair with its labels and each
  measure's value); `audits` finds the collection and the true label of each.
* Table 5, training: `splits` makes the parts and the added pairs, `training` trains one model, and `experiment` trains
  and rates on all folds (``meaningbert-trained``).
* Tables 5 and 6, correlations with people: `measures`.
* Tables 6 and 7, sanity checks: `sanity`.

How well each measure agrees with people, from the evidence::

    ratings.summary(evidence.load("meaningbert-csmd"))
"""
