"""Summary evaluation with paraphrases (Hirahara, Nanba, Takezawa & Okumura 2010, LREC).

A summary's score is the recall of its reference's words, where a word or phrase may also be matched by a paraphrase
(`nbhelpers.metrics.paraphrase`). An experiment has `run`, which makes items, and `summary`, which makes estimates::

    collection = open_collection("topics")                          # collections: summaries that people judged
    tables = four_tables("en", words_of(collection))                # sources: S, D, W and N, each a paraphrase table
    items = run(collection, with_variants(tables))                  # experiment: EX-1 to EX-4, every method
    summary(items), gains(items), effects(items)                    # Tables 4 and 5, differences, main effects

`parallel` (texts), `alignment` (of words and phrases) and `smt` (pivoting) make S, `distributional` makes D. `links`
says what a resource links, `passages` whether it links what says the same, `resources` what pairs it has, `choices`
what becomes of the rankings if words are matched otherwise, and `categories` sorts pairs into those of section 3.2.
"""
