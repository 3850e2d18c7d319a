"""English text, read offline: sentences, tokens, stems, parts of speech and names.

``load_english()`` gives the engine with the models that ship with the project; `tokenize`, `stem` and `STOP_WORDS`
need no model. See the package's modules: `nbhelpers.text.tokens`, `nbhelpers.text.tagger`,
`nbhelpers.text.entities`, `nbhelpers.text.english`.
"""

from nbhelpers.text.english import (
    BACKENDS,
    COARSE_TAGS,
    NOUN_TAGS,
    English,
    Sentence,
    SentenceSplitter,
    coarse_tag,
    load_english,
)
from nbhelpers.text.entities import document_names
from nbhelpers.text.tagger import PerceptronTagger
from nbhelpers.text.tokens import ABBREVIATIONS, STOP_WORDS, content_stems, is_word, stem, token_spans, tokenize

__all__ = [
    "ABBREVIATIONS",
    "BACKENDS",
    "COARSE_TAGS",
    "NOUN_TAGS",
    "STOP_WORDS",
    "English",
    "PerceptronTagger",
    "Sentence",
    "SentenceSplitter",
    "coarse_tag",
    "content_stems",
    "document_names",
    "is_word",
    "load_english",
    "stem",
    "token_spans",
    "tokenize",
]
