"""Summary evaluation with paraphrases (Hirahara, Nanba, Takezawa & Okumura 2010, LREC)."""
