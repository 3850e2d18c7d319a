"""NDD written as plainly as the paper defines it: one masked copy at a time, the full vocabulary head, float64.

It shares no code with nbhelpers and takes single-piece words from a BERT tokenizer, so that the definition itself
(section 2 of the paper) is all there is to get right.
"""

import math

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
