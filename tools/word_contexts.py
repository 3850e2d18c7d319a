"""Contexts of words in dependency trees, and word vectors made of (word, context) pairs.

Where word2vec takes the words within a window, `dependency_contexts` takes a word's head and modifiers with their
relations (Levy & Goldberg 2014), and `proposition_contexts` the other words of the propositions that it is part of
(Stanovsky, Dagan & Mausam 2015). Trees are Universal Dependencies, annotated or parsed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from nbhelpers.base.errors import InputError
from nbhelpers.language.tokens import is_word
from nbhelpers.resources.treebank import Sentence, Token

_PHRASE = {"amod", "compound", "flat", "nmod", "nummod", "fixed", "goeswith"}
_ARGUMENTS = {"obj", "iobj", "obl", "xcomp", "ccomp"}


def _base(token: Token) -> str:
    return token.deprel.partition(":")[0]


def _children(sentence: Sentence) -> list[list[Token]]:
    """Dependents of each word, by the id of the head; those of 0 are the root."""
    result: list[list[Token]] = [[] for _ in range(len(sentence) + 1)]
    for token in sentence.tokens:
        if token.head is None:
            raise InputError(f"sentence {sentence.sent_id} has no dependency tree")
        result[token.head].append(token)
    return result


def dependency_contexts(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Words and their contexts in the tree (Levy & Goldberg 2014, "Dependency-based word embeddings", section 3).

    For a head and a modifier: (head, "modifier/relation") and (modifier, "head/relation-1"). Prepositions are
    collapsed: *discovers … with a telescope* gives "telescope/obl:with", and *with* itself no context. Punctuation and
    the root's relation are left out; words are lower-cased.
    """
    children = _children(sentence)
    for token in sentence.tokens:
        if not token.head or token.deprel in ("punct", "case") or not is_word(token.form):
            continue
        head, relation = sentence.tokens[token.head - 1], token.deprel
        if not is_word(head.form):
            continue
        if _base(token) in ("obl", "nmod") and relation != "nmod:poss":
            cases = [child.form.lower() for child in children[token.id] if child.deprel == "case"]
            relation = ":".join([relation, "_".join(cases)]) if cases else relation
        yield head.form.lower(), f"{token.form.lower()}/{relation}"
        yield token.form.lower(), f"{head.form.lower()}/{relation}-1"


def propositions(sentence: Sentence) -> list[tuple[tuple[str, ...], ...]]:
    """Propositions of a sentence as Open IE tuples: subject, predicate, further arguments, each a tuple of words.

    A rule-based reading of the tree, where Stanovsky, Dagan & Mausam (2015) ran an extractor. Every verb makes one:
    the verb with its particles and the verbs of its open complements; its subject (a verb joined to another by
    *and* shares the other's); objects, obliques and complements, of the open complements too. In *X is Y* the
    predicate is *is*. An argument is its head with modifiers (adjectives, compounds, names, numbers, *of*-phrases);
    articles, prepositions and clauses are left out. An absent subject is an empty tuple; a verb without any argument
    makes none. Words are lower-cased.
    """
    children = _children(sentence)

    def phrase(token: Token) -> tuple[str, ...]:
        inside = [token]
        for member in inside:
            inside += [child for child in children[member.id] if _base(child) in _PHRASE]
        return tuple(member.form.lower() for member in sorted(inside, key=lambda t: t.id) if is_word(member.form))

    def subject(token: Token) -> tuple[str, ...]:
        for child in children[token.id]:
            if _base(child) in ("nsubj", "csubj"):
                return phrase(child)
        return subject(sentence.tokens[token.head - 1]) if token.deprel == "conj" and token.head else ()

    result = []
    for token in sentence.tokens:
        copula = [child.form.lower() for child in children[token.id] if child.deprel == "cop"]
        if copula:
            elements = [subject(token), tuple(copula), phrase(token)]
        elif token.upos == "VERB" and token.deprel != "xcomp":
            verbs = [token]
            for verb in verbs:
                verbs += [c for c in children[verb.id] if c.deprel == "xcomp" and c.upos == "VERB"]
            parts = [c for verb in verbs for c in children[verb.id] if c.deprel == "compound:prt"]
            predicate = tuple(t.form.lower() for t in sorted([*verbs, *parts], key=lambda t: t.id))
            own = [c for verb in verbs for c in children[verb.id] if _base(c) in _ARGUMENTS and c not in verbs]
            elements = [subject(token), predicate, *(phrase(child) for child in own)]
        else:
            continue
        if elements[0] or len(elements) > 2:
            result.append(tuple(elements))
    return result


def proposition_contexts(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Words and their contexts in `propositions`: every other word of the tuple with the number of its element.

    *John refused to visit Vegas* gives "refused" the contexts "john/0", "visit/1" and "vegas/2" (after Stanovsky,
    Dagan & Mausam 2015).
    """
    for elements in propositions(sentence):
        placed = [(word, number) for number, words in enumerate(elements) for word in words]
        for one, (word, _) in enumerate(placed):
            for other, (neighbour, number) in enumerate(placed):
                if one != other:
                    yield word, f"{neighbour}/{number}"


def train_pairs(
    pairs: Iterable[tuple[str, str]], dimension: int = 50, least: int = 5, least_context: int = 2
) -> tuple[list[str], list[int], NDArray[np.float32]]:
    """Words, their counts of pairs, and vectors by a truncated SVD, U Σ Vᵀ, of positive pointwise mutual information.

    A vector is a row of U √Σ, scaled to length 1: else the rows of a few words are so much longer than the others that
    they alone make the sum of a text. Words in fewer than `least` pairs and contexts in fewer than `least_context` are
    left out.

    Skip-gram with negative sampling factorises that matrix, shifted (Levy & Goldberg 2014, "Neural word embedding as
    implicit matrix factorization"). Factorised exactly it has no learning rate and no sampling noise, which few pairs
    would not bear, and is the same on every run. √Σ, the counts of contexts to the power of 3/4 and the unit length are
    options of Levy, Goldberg & Dagan (2015, TACL).

    Raises
    ------
    InputError
        Fewer words or contexts than dimensions.
    """
    from scipy import sparse
    from scipy.sparse.linalg import svds

    seen = Counter(pairs)
    counts, context_counts = Counter(), Counter()
    for (word, context), n in seen.items():
        counts[word] += n
        context_counts[context] += n
    words = sorted((w for w, n in counts.items() if n >= least), key=lambda w: (-counts[w], w))
    contexts = sorted(c for c, n in context_counts.items() if n >= least_context)
    if min(len(words), len(contexts)) <= dimension:
        raise InputError(f"{len(words)} words and {len(contexts)} contexts for {dimension} dimensions")
    row, column = {w: i for i, w in enumerate(words)}, {c: i for i, c in enumerate(contexts)}
    i, j, n = np.array([(row[w], column[c], n) for (w, c), n in seen.items() if w in row and c in column]).T
    entries = sparse.csr_array((n.astype(np.float64), (i, j)), shape=(len(words), len(contexts))).tocoo()
    by_word, by_context = entries.sum(axis=1), entries.sum(axis=0) ** 0.75
    expected = by_word[entries.row] * by_context[entries.col] / by_context.sum()
    entries.data = np.maximum(np.log(entries.data / expected), 0)
    start = np.random.default_rng(0).standard_normal(min(entries.shape))
    left, strengths, _ = svds(entries.tocsr(), k=dimension, v0=start)
    vectors = (left * np.sqrt(strengths))[:, np.argsort(-strengths)].astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1)
    used = lengths > 1e-6  # a word all of whose contexts are rare has none left
    kept = [word for word, has in zip(words, used) if has]
    return kept, [counts[word] for word in kept], vectors[used] / lengths[used, None]
