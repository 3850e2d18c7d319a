"""Tests of embeddings made from pyramid annotations (Baumel, Cohen & Elhadad 2016, RepEval).

The passages of one SCU say the same in other words. Section 3 of the paper makes two tests of that: a *binary* test (do
the two items of a pair come from the same SCU?) and a *ranking* test (which of four segments says the same as the
question?). `pair_test` and `question_test` build them, `score` lets word vectors, a sentence encoder or any pairwise
scorer answer them, `binary_result` and `ranking_result` measure the answers as section 4 does::

    pyramids = read_pyramids(folder)
    pairs, questions = pair_test(pyramids), question_test(pyramids)
    evaluate(vectors, pairs, questions)

Where the paper is open, the defaults are: SCU labels are items, too; a negative pair shares *at least* three words (the
paper says "more than 3" and shows a pair that shares three; the literal rule is ``Rules(overlap=4)``); ranking
questions go from an SCU's label to one of its contributors, with passages as distractors; "most lexically similar"
is the number of shared words.
"""

from nbhelpers.resources.pyramids import read_pyramids
from nbhelpers.studies.pyramid.measures import (
    MEASURES,
    binary_result,
    compare,
    error_analysis,
    evaluate,
    ranking_result,
    record_differences,
    sizes,
    table1_rows,
)
from nbhelpers.studies.pyramid.scoring import (
    ndd_scorer,
    normalised,
    random_answers,
    score,
    text_vectors,
    unique_texts,
    vocabulary,
    word_movers,
)
from nbhelpers.studies.pyramid.tasks import Rules, pair_test, question_test, random_answer_f, words
