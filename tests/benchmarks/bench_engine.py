"""Engine against the plain `transformers` loop, same machine, same model, same requests, side by side.

The plain loop sends one masked copy at a time through the model with the full vocabulary head, as most published code
does. The share of the machine's matrix rate counts the multiplications the engine has to do, against a large float32
matrix product measured in the same run.
"""

from side_by_side import SENTENCES, median_seconds, opt_in, seconds_of, show


def matrix_rate(repetitions: int = 30) -> float:
    """Multiply-adds per second of a 1024×1024 float32 product, median."""
    import torch

    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    return 1024**3 / sorted(seconds_of(lambda: a @ b) for _ in range(repetitions))[repetitions // 2]


def body_multiplications(config, length: int) -> int:
    """Multiply-adds of one text of `length` pieces through the encoder."""
    width, inner = config.hidden_size, config.intermediate_size
    return config.num_hidden_layers * (length * (4 * width**2 + 2 * width * inner) + 2 * length**2 * width)


def measure() -> dict[str, float]:
    """How often the engine goes into the plain loop over the same requests, and the share of the matrix rate."""
    import torch

    from nbhelpers.language.mlm import MaskedLM, Question

    lm = MaskedLM(cache_words=1)
    encoded = [lm.encode(sentence.split()) for sentence in SENTENCES]
    requests = [lm.request(item, index) for item in encoded for index in range(len(item.words))]

    def engine():
        return lm.answer([Question(request, targets=(0,)) for request in requests])

    def plain():
        answers = []
        for request in requests:
            with torch.no_grad():
                logits = lm.loaded.model(input_ids=torch.tensor([request.input_ids])).logits
            answers.append(torch.log_softmax(logits, dim=-1)[0, request.positions[0]])
        return answers

    ways = {"engine": engine, "plain": plain}
    median_seconds(ways, rounds=1)  # what is set up at the first call is not timed
    seconds = median_seconds(ways)
    config = lm.loaded.model.config
    head = config.hidden_size * (config.hidden_size + config.vocab_size)
    work = sum(body_multiplications(config, len(r.input_ids)) + head for r in requests)
    return {
        "requests": len(requests),
        "plain / engine": seconds["plain"] / seconds["engine"],
        "share of matrix rate": work / seconds["engine"] / matrix_rate(),
    }


@opt_in
def test_engine_is_at_least_five_times_the_plain_loop():
    result = measure()
    show(result)
    assert result["plain / engine"] >= 5
