"""Helpers shared by the notebooks: meaning-preservation metrics, their data, models and statistics.

Importing the package is cheap: torch, transformers, gensim, nltk and matplotlib are loaded by the functions that
need them.
"""

__version__ = "0.1.0"
