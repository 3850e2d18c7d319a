"""Summary evaluation with paraphrases (Hirahara, Nanba, Takezawa & Okumura 2010, LREC).

A summary's score is the recall of its reference's words, where a word or phrase may also be matched by a paraphrase
(section 4.1). In English and Japanese::

    summaries = open_collection("topics")                           # collections
    words = words_of(summaries)                                     # experiment
    tables = {
        "S": restrict(pivot_table(text, "en"), words),               # smt: pivoting through parallel text, or PPDB
        "D": restrict(distributional_table("en"), words),            # distributional
        "W": load_wordnet("en").table(words),                       # wordnet
        "N": load_variants("en").table(words),                      # variants: spelling and inflection
    }
    match(reference_words, candidate_words, tables.values()).rows() # matcher: what matched what, by which resource
    plan = make_plan(summaries)                                     # experiment: EX-1 to EX-4
    evaluate_scores(plan, match_scores(plan, tables)).table()       # 15 combinations and ROUGE-1

Every resource becomes a `tables.ParaphraseTable`; `tokens` cuts the words for all of them. `parallel` (the texts) and
`alignment` (of words and phrases) serve `smt`; `sources` makes all four tables at once. `categories` sorts pairs into
those of section 3.2, and `links` looks at what a resource links.
"""
