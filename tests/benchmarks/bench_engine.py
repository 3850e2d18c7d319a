"""Engine against the plain `transformers` loop, same machine, same model, same requests, side by side.

The plain loop sends one masked copy at a time through the model with the full vocabulary head, as most published code
does. The share of the machine's matrix rate counts the multiplications the engine has to do, against a large matrix
product of the same number format measured in the same run.
"""

import pytest
import torch
from side_by_side import SENTENCES, judge, median_seconds, opt_in

from nbhelpers.base.errors import ResourceNotFoundError
from nbhelpers.language.mlm import MaskedLM, Question


def multiplications(config, length: int) -> int:
    """Multiply-adds of one text of `length` pieces with one mask through the engine.

    After the last attention only the masked position goes on, through the feed-forward layer and the head.
    """
    width, layers = config.hidden_size, config.num_hidden_layers
    attention = 4 * length * width**2 + 2 * length**2 * width
    feed_forward = 2 * width * config.intermediate_size
    head = width * (width + config.vocab_size)
    return layers * attention + ((layers - 1) * length + 1) * feed_forward + head


@pytest.mark.parametrize(
    "name, dtype, bound", [("embedded", "float32", 5), ("base", "float32", 2), ("base", "bfloat16", 2)]
)
@opt_in
def test_engine_against_the_plain_loop(name, dtype, bound):
    try:
        lm = MaskedLM(name, dtype=dtype, cache_words=1)
    except ResourceNotFoundError as missing:
        pytest.skip(str(missing))
    matrix = torch.randn(1024, 1024).to(lm.loaded.model.dtype)
    encoded = [lm.encode(sentence.split()) for sentence in SENTENCES]
    requests = [lm.request(item, index) for item in encoded for index in range(len(item.words))]

    def engine():
        return lm.answer([Question(request, targets=(0,)) for request in requests])

    def plain():
        for request in requests:
            with torch.no_grad():
                logits = lm.loaded.model(input_ids=torch.tensor([request.input_ids])).logits
            torch.log_softmax(logits, dim=-1)[0, request.positions[0]]

    ways = {"engine": engine, "plain": plain}
    median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
    seconds = median_seconds(ways) | median_seconds({"matrix": lambda: matrix @ matrix}, rounds=30)
    work = sum(multiplications(lm.loaded.model.config, len(request.input_ids)) for request in requests)
    result = {
        "model": f"{name}, {dtype}",
        "requests": len(requests),
        "plain / engine": seconds["plain"] / seconds["engine"],
    }
    result["share of matrix rate"] = work / seconds["engine"] / (1024**3 / seconds["matrix"])
    judge(result, {"plain / engine": bound})
