"""Sentence compression by NDD (section 4 of the paper), and what it is up to.

`search` compresses, `baselines` holds what Table 2 compares with, `measures` its scores, and `pairs` reads sentences
that have a shortened version.
"""

from nbhelpers.studies.ndd.compression.baselines import (
    delete_by_perplexity,
    lead,
    perplexity_deletion,
    random_deletion,
    random_placement,
    random_spans,
)
from nbhelpers.studies.ndd.compression.measures import (
    TABLE_2,
    USUAL,
    Conventions,
    Evaluation,
    against_best,
    corpus_bleu,
    evaluate,
    mean_evaluation,
    token_scores,
    tokens_of,
)
from nbhelpers.studies.ndd.compression.pairs import (
    EXAMPLE_RECORDS,
    CompressionPair,
    example_pair,
    read_compressions,
    read_pairs,
)
from nbhelpers.studies.ndd.compression.search import (
    BIASED,
    ITERATIONS,
    LIMIT,
    ONE_WORD,
    UNBIASED,
    UNCHANGED,
    Calibration,
    Compression,
    CompressionSettings,
    DeletedSpan,
    Iteration,
    Skipped,
    calibrate_threshold,
    compress,
    compress_batch,
    compress_many,
    compression_signature,
    words_at,
)
