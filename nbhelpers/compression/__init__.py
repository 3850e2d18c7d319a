"""Sentence compression by NDD (section 4 of the paper), and what it is up to.

`search` compresses, `baselines` holds what Table 2 compares with, `measures` its scores, and `pairs` reads sentences
that have a shortened version.
"""

from nbhelpers.compression.baselines import (
    delete_by_perplexity,
    lead,
    perplexity_deletion,
    random_deletion,
)
from nbhelpers.compression.measures import (
    TABLE_2,
    USUAL,
    Conventions,
    Evaluation,
    against_best,
    corpus_bleu,
    evaluate,
    token_scores,
    tokens_of,
)
from nbhelpers.compression.pairs import (
    EXAMPLE_RECORDS,
    CompressionPair,
    example_pair,
    read_compressions,
    read_pairs,
)
from nbhelpers.compression.search import (
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

__all__ = [
    "BIASED",
    "Calibration",
    "Compression",
    "CompressionPair",
    "CompressionSettings",
    "Conventions",
    "DeletedSpan",
    "EXAMPLE_RECORDS",
    "Evaluation",
    "ITERATIONS",
    "Iteration",
    "LIMIT",
    "ONE_WORD",
    "Skipped",
    "TABLE_2",
    "UNBIASED",
    "UNCHANGED",
    "USUAL",
    "against_best",
    "calibrate_threshold",
    "compress",
    "compress_batch",
    "compress_many",
    "compression_signature",
    "corpus_bleu",
    "delete_by_perplexity",
    "evaluate",
    "example_pair",
    "lead",
    "perplexity_deletion",
    "random_deletion",
    "read_compressions",
    "read_pairs",
    "token_scores",
    "tokens_of",
    "words_at",
]
