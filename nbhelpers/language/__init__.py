"""What reads text: the masked-language-model engine, and English sentences, tokens, stems, tags and names.

`MaskedLM` opens a masked language model. `load_english()` gives the English models that ship with the project;
`tokenize`, `stem` and `STOP_WORDS` need no model.
"""

from nbhelpers.language.english import COARSE_TAGS, NOUN_TAGS, English, Sentence, coarse_tag, load_english
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.language.tokens import ABBREVIATIONS, STOP_WORDS, content_stems, is_word, stem, token_spans, tokenize
