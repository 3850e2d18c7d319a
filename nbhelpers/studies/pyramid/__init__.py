"""Tests of embeddings made from pyramid annotations (Baumel, Cohen & Elhadad 2016, RepEval).

The passages of one SCU say the same in other words. Section 3 of the paper makes two tests of that: a *binary* test (do
the two items of a pair come from the same SCU?) and a *ranking* test (which of four segments says the same as the
question?). `pair_test` and `question_test` build them; `pairs.run` and `questions.run` let word vectors, a sentence
encoder or any pairwise scorer answer them and count for each pyramid; `pairs.summary` and `questions.summary` measure
the answers as section 4 does::

    pyramids = read_pyramids(folder)
    pairs.summary(pairs.run(pyramids, {"word2vec": vectors}))

Where the paper is open, the defaults are: SCU labels are items, too; a negative pair shares *at least* three words (the
paper says "more than 3" and shows a pair that shares three; the literal rule is ``overlap=4``); ranking
questions go from an SCU's label to one of its contributors, with passages as distractors; "most lexically similar"
is the number of shared words.
"""

from nbhelpers.resources.pyramids import read_pyramids
from nbhelpers.studies.pyramid import pairs, questions
from nbhelpers.studies.pyramid.scoring import Encoder, normalised, score, text_vectors, vocabulary
from nbhelpers.studies.pyramid.systems import named
from nbhelpers.studies.pyramid.tasks import DEFAULTS, READINGS, pair_test, question_test, words
