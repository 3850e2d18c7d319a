"""NDD written as plainly as the paper defines it: one masked copy at a time, the full vocabulary head, float64.

It shares no code with nbhelpers and takes single-piece words from a BERT tokenizer, so that the definition itself
(section 2 of the paper) is all there is to get right. Below it stands the search of the authors' code, restated.
"""

import math

import numpy as np
import torch


def masked_distribution(model, tokenizer, words: list[str], index: int) -> torch.Tensor:
    """Log-probabilities at word `index` when it is replaced by one mask, shape (vocabulary,), float64."""
    pieces = [tokenizer.tokenize(word) if i != index else [tokenizer.mask_token] for i, word in enumerate(words)]
    ids = [tokenizer.cls_token_id]
    for word in pieces[:index]:
        ids += tokenizer.convert_tokens_to_ids(word)
    position = len(ids)
    for word in pieces[index:]:
        ids += tokenizer.convert_tokens_to_ids(word)
    ids.append(tokenizer.sep_token_id)
    with torch.no_grad():
        logits = model.double()(input_ids=torch.tensor([ids])).logits
    return torch.log_softmax(logits[0, position], dim=-1)


def reference_ndd(model, tokenizer, words: list[str], start: int, stop: int, new: list[str], mu: float = 0.9) -> float:
    """NDD of replacing words[start:stop] by `new`, plain weights μ^min(|k-i|, |k-j|)."""
    edited = words[:start] + new + words[stop:]
    shift = len(new) - (stop - start)
    total = 0.0
    for k in range(len(words)):
        if start <= k < stop:
            continue
        before = masked_distribution(model, tokenizer, words, k)
        after = masked_distribution(model, tokenizer, edited, k if k < start else k + shift)
        divergence = sum(math.exp(a) * (a - b) for a, b in zip(after.tolist(), before.tolist()))
        if stop > start:
            distance = min(abs(k - start), abs(k - (stop - 1)))
        else:  # an insertion between words start-1 and start: both of them are at distance 1
            distance = start - k if k < start else k - start + 1
        total += mu**distance * divergence
    return total


# The authors' algorithm for compression, restated ---------------------------------------------------------------------


def plain_distributions(model, tokenizer, words, neighbours):
    """Probabilities at each neighbour, masked in turn: one padded batch, full head, softmax at every position."""
    texts = [" ".join(tokenizer.mask_token if i == k else w for i, w in enumerate(words)) for k in neighbours]
    batch = tokenizer(texts, return_tensors="pt", padding=True)
    position = batch["input_ids"].eq(tokenizer.mask_token_id).float().argmax(1)
    with torch.no_grad():
        probabilities = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits.softmax(-1)
    return torch.stack([row[position[i]] for i, row in enumerate(probabilities)])


def plain_ndd(model, tokenizer, words, start, stop, mu=0.9, nu=1.0):
    """NDD of deleting words[start:stop] as the authors' code computes it."""
    edited = words[:start] + words[stop:]
    neighbours = [k for k in range(len(words)) if not start <= k < stop]
    before = plain_distributions(model, tokenizer, words, neighbours)
    after = plain_distributions(model, tokenizer, edited, range(len(edited)))
    distance = np.array([start - 1 - k if k < start else k - stop for k in neighbours])
    weight = mu**distance + mu ** (distance + len(distance) - distance[::-1])
    weight = torch.tensor(weight * nu ** np.arange(len(weight)), dtype=torch.float32)
    return float(((after * (after / before).log()).sum(1) * weight).sum())


def plain_iteration(model, tokenizer, words, max_span, threshold):
    """The spans (start, stop, NDD) that one iteration of the authors' code deletes: spans below the threshold, less
    those that overlap a lower one."""
    found = []
    for start in range(len(words)):
        for stop in range(start + 1, min(len(words), start + max_span)):
            value = plain_ndd(model, tokenizer, words, start, stop)
            if value < threshold:
                found.append((start, stop, value))
    return [a for a in found if not any(set(range(*a[:2])) & set(range(*b[:2])) and a[2] > b[2] for b in found)]
