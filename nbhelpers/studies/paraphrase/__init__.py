"""Summary evaluation with paraphrases (Hirahara, Nanba, Takezawa & Okumura 2010, LREC).

A summary's score is the recall of its reference's words, where a word or phrase may also be matched by a paraphrase
(section 4.1). In English and Japanese::

    texts = open_collection("topics")                               # collections
    words = words_of(texts)                                         # experiment
    tables = {
        "S": smt_resource("en").table(words),                       # smt: pivoting, or PPDB
        "D": distributional_resource("en").table(words),            # distributional
        "W": load_wordnet("en").table(words),                       # wordnet
        "N": load_variants("en").table(words),                      # variants: spelling and inflection
    }
    match(reference_words, candidate_words, tables.values()).rows() # matcher: what matched what, by which resource
    run(texts, tables).frame()                                      # experiment: EX-1 to EX-4, 15 combinations, ROUGE-1

Every resource becomes a `base.ParaphraseTable`; `tokens` cuts the words for all of them. `links` names the choices that
the paper leaves open (`MatchSettings`), `optimal` matches as many words as can be. `plan`, `ranking` and `summaries`
hold what is compared, how well it is ranked, and the summaries. `parallel`, `alignment`, `phrases` and `pivot` make the
SMT table, `cooccurrence` the one of distributional similarity; `table_files` keeps both. `categories` sorts pairs into
those of section 3.2. `soft` adds neighbours of word vectors, of a sentence encoder and of a masked LM, and any measure
of `nbhelpers.metrics`.
"""
