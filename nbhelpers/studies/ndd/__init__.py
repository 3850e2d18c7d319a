"""Four studies with Neighboring Distribution Divergence (Peng, Li & Zhao 2021), and what decides their results.

The measure itself is `nbhelpers.metrics.ndd`. An experiment is one module that makes items (``run`` for this run,
``record`` for the evidence, ``TABLES`` for what is shown), and one or more that compute:

* Table 1, Figures 1 and 2, single edits: `cases`; pairs whose meaning was kept or changed: `edits`.
* Tables 2 and 3, compression: `compression_evidence` makes the items; `compression` deletes, by `span_search`;
  `baselines` are the rules beside it; `measures` has F1, B and ROUGE; `lengths` infers the paper's lengths.
* Table 6, pruning: `pruning_evidence` makes the items, `pruning` deletes from `trees`, and `branches` counts.
* Table 7, predicates: `predicates_evidence` makes the items, `predicates` edits each word, and `detection` counts.
* `model_size` asks whether the model or the measure decides.

The mean F1 of every system, from the evidence or from a run of your own::

    measures.summary(evidence.load("ndd-compression"))
"""
