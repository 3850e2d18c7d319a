"""What reads text: the masked-language-model engine, and English sentences, tokens, stems, tags and names.

`MaskedLM` opens a masked language model. `load_english()` gives the English models that ship with the project;
`tokenize`, `stem` and `STOP_WORDS` need no model.

Words are cut in several ways, since each study and metric has its own. Which is for what:

======================================  =============================================================================
`tokenize`                              English words, clitics and marks: vectors, tags, pyramids, order of sentences
`nbhelpers.metrics.ndd.split_words`     words and marks in any script, hyphenated words whole: what NDD edits
`nbhelpers.metrics.alignment.pieces`    sentences, too long ones divided: what ``check`` aligns
`nbhelpers.metrics.paraphrase.tokens`   words without marks, English or Japanese (Sudachi): what paraphrases match
`nbhelpers.studies.ndd.measures`        NLTK's tokens: F1, B and ROUGE of compressions
`nbhelpers.studies.pyramid.tasks`       `tokenize` without marks and with straight apostrophes: what embeddings look up
each metric of ``metrics.lexical``      its own, of its library (sacreBLEU, rouge-score), named in its signature
======================================  =============================================================================
"""

from nbhelpers.language.english import COARSE_TAGS, NOUN_TAGS, English, Sentence, coarse_tag, load_english
from nbhelpers.language.mlm import MaskedLM
from nbhelpers.language.tokens import ABBREVIATIONS, STOP_WORDS, content_stems, is_word, stem, token_spans, tokenize
