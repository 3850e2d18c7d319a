"""The masked-LM engine: which words does a model expect at a masked position?

One engine serves every measure that asks a masked language model: NDD, pseudo-perplexity, BLANC and Coverage. A
*request* is a sequence of token ids in which positions are masked. Its distributions are one log-probability vector for
each masked position, in float32 and log-space from the start. A *question* says what is wanted of them, and
`MaskedLM.answer` is the one place where the model is asked.

* A text that several questions share is sent once. Only masked positions are projected onto the vocabulary.
* Requests are grouped by exact length into batches with a token budget. Small batches are joined with the next longer
  texts, and padded, where that costs less than one more batch. A batch is halved when memory runs out. On a CPU every
  thread works on a batch of its own. None of this changes a number beyond rounding (1e-5).
* Words are the unit of text. A word keeps its identity whatever the tokenizer makes of it: lower-cased, stripped of
  accents, split into pieces, unknown, or nothing at all (then it stands as the unknown token).
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nbhelpers.base.checks import check_number
from nbhelpers.base.errors import InputError, ModelError, TextTooLongError
from nbhelpers.resources.models import (
    EMBEDDED,
    LoadedModel,
    batches_of_equal_length,
    load_masked_lm,
    longest_input,
    map_batches,
)

MASKING = ("word", "pieces")

_BATCH_COSTS = 48
"""A batch takes about as long as this many tokens more would, on a CPU with the small model."""

_COMPARED_BYTES = 64 * 2**20
"""Distributions that are compared at a time."""


@dataclass(frozen=True)
class EncodedWords:
    """A word sequence as the model sees it.

    Attributes
    ----------
    words : tuple of str
        The words, n of them.
    input_ids : tuple of int
        Token ids with the model's special tokens at both ends.
    spans : tuple of (int, int)
        For each word the half-open range of its pieces in `input_ids`; never empty.
    """

    words: tuple[str, ...]
    input_ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class MaskRequest:
    """Token ids in which `positions` hold the mask token and ask for a prediction."""

    input_ids: tuple[int, ...]
    positions: tuple[int, ...]


@dataclass(slots=True)
class Question:
    """A request and what is wanted of its distributions.

    Attributes
    ----------
    request : MaskRequest
    references : tuple of torch.Tensor
        Log-probabilities, each (masked positions, vocabulary); the divergence from each of them is wanted.
    targets : tuple of int
        One token for each masked position; their log-probabilities are wanted.
    store : torch.Tensor or None
        Where the distributions themselves are copied to, shape (masked positions, vocabulary).
    """

    request: MaskRequest
    references: tuple[Any, ...] = ()
    targets: tuple[int, ...] = ()
    store: Any = None


@dataclass(slots=True)
class Answer:
    """What one question asked for.

    Attributes
    ----------
    divergences : list of float
        One for each reference, the mean over masked positions.
    log_probabilities : list of float
        One for each target, in nats.
    likeliest : list of bool
        Whether each target is the likeliest token of its position.
    """

    divergences: list[float]
    log_probabilities: list[float]
    likeliest: list[bool]


class MaskedLM:
    """Masked distributions of one model.

    Parameters
    ----------
    model : str or LoadedModel
        A name for `nbhelpers.resources.models.load_masked_lm`, or a model already loaded.
    mask : {"word", "pieces"}
        ``word`` puts one mask in the place of a whole word, whatever its pieces (as the authors' NDD code does);
        ``pieces`` puts one mask for each piece.
    batch_tokens : int, optional
        Token budget of a forward pass; by default 4,096 on a CPU and 65,536 on a GPU.
    cache_words : int
        How many distributions of unedited text are remembered (each takes four bytes per vocabulary entry).
    device, dtype
        Passed to `load_masked_lm` when `model` is a name.

    Attributes
    ----------
    forward_requests : int
        Texts sent through the model so far, for measuring cost.

    Examples
    --------
    >>> lm = MaskedLM()
    >>> words = "I am walking in the cold rain .".split()
    >>> (answer,) = lm.log_probabilities([lm.request(lm.encode(words), 5)])
    >>> answer.shape == (1, lm.vocabulary_size)
    True
    """

    def __init__(
        self,
        model: str | LoadedModel = EMBEDDED,
        *,
        mask: str = "word",
        batch_tokens: int | None = None,
        cache_words: int = 2048,
        device: str = "auto",
        dtype: str = "float32",
    ) -> None:
        if mask not in MASKING:
            raise InputError(f"mask is one of {', '.join(MASKING)}, not {mask!r}.")
        check_number("cache_words", cache_words, least=0, whole=True)
        if batch_tokens is not None:
            check_number("batch_tokens", batch_tokens, least=1, whole=True)
        self.loaded = load_masked_lm(model, device=device, dtype=dtype) if isinstance(model, str) else model
        self.mask = mask
        self.batch_tokens = batch_tokens or self.loaded.token_budget()
        self.longest = longest_input(self.loaded)
        tokenizer = self.loaded.tokenizer
        ends = tokenizer("")["input_ids"]
        if len(ends) != 2:
            raise ModelError(f"The tokenizer of {self.loaded.name} does not put one special token at each end.")
        self._first, self._last = ends
        self._mask_id = tokenizer.mask_token_id
        # padding behind a text changes nothing in models in which positions see each other by attention alone
        self._pad_id = tokenizer.pad_token_id if _known(self.loaded.model) else None
        self._unknown_id = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else self._mask_id
        self._space = _space_marker(tokenizer)
        self._pieces: dict[tuple[str, bool], tuple[int, ...]] = {}
        self._cache: OrderedDict[MaskRequest, Any] = OrderedDict()
        self.cache_words = cache_words
        self._now = threading.local()  # the masked positions of the batch that each thread works on
        self.forward_requests = 0

    @property
    def signature(self) -> str:
        """One line that says how a distribution was made."""
        return f"lm:{self.loaded.identity}|mask:{self.mask}{self.loaded.dtype_mark}"

    @property
    def vocabulary_size(self) -> int:
        """Length of a distribution."""
        return int(self.loaded.model.config.vocab_size)

    # Words and pieces ------------------------------------------------------------------------------------------

    def encode(self, words: Sequence[str], space_before: Sequence[bool] | None = None) -> EncodedWords:
        """Turn words into token ids, remembering which pieces belong to which word.

        Parameters
        ----------
        words : sequence of str
            At least one word. The tokenizer's mask token (``[MASK]``) as a word stands for a mask in the text;
            any other special token is read as ordinary text.
        space_before : sequence of bool, optional
            Whether a space precedes each word; by default every word has one, but for the first word of byte-level
            BPE. Only tokenizers that mark spaces (byte-level BPE, SentencePiece) see the difference.

        Raises
        ------
        InputError
            For a plain string, no words, or a word that is empty or no text.
        TextTooLongError
            If the model cannot take the whole text; it is never cut.
        """
        words = check_words(words)
        if space_before is None:
            space_before = self.default_spaces(len(words))
        ids, spans = [self._first], []
        for word, space in zip(words, space_before):
            pieces = self._word_pieces(word, bool(space))
            spans.append((len(ids), len(ids) + len(pieces)))
            ids.extend(pieces)
        ids.append(self._last)
        if len(ids) > self.longest:
            raise TextTooLongError(
                f"The text has {len(ids)} pieces, {self.loaded.name} takes {self.longest}: {' '.join(words[:8])} …"
            )
        return EncodedWords(words, tuple(ids), tuple(spans))

    def unknown(self, words: Sequence[str]) -> list[str]:
        """Those of the words that the model does not know: for each of them it sees the same unknown token."""
        return [word for word in dict.fromkeys(words) if set(self._word_pieces(word, True)) == {self._unknown_id}]

    def default_spaces(self, count: int) -> list[bool]:
        """Whether a space precedes each of `count` words of a text that nothing else is known of."""
        return [index > 0 or self._space == "▁" for index in range(count)]

    def _word_pieces(self, word: str, space: bool) -> tuple[int, ...]:
        key = (word, space and self._space is not None)
        if key not in self._pieces:
            self._pieces[key] = self._tokenize_word(*key)
        return self._pieces[key]

    def _tokenize_word(self, word: str, space: bool) -> tuple[int, ...]:
        tokenizer = self.loaded.tokenizer
        if word == tokenizer.mask_token:
            return (self._mask_id,)
        text = " " + word if space and self._space == "Ġ" else word
        ids = tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        if not space and self._space == "▁" and ids:
            first = tokenizer.convert_ids_to_tokens(ids[0])
            if first == "▁":
                ids = ids[1:]
            elif first.startswith("▁"):
                bare = tokenizer.convert_tokens_to_ids(first[1:])
                ids = [bare if bare not in (None, tokenizer.unk_token_id) else ids[0], *ids[1:]]
        return tuple(ids) or (self._unknown_id,)

    def request(self, encoded: EncodedWords, index: int, *, mask: str | None = None) -> MaskRequest:
        """The request that masks word `index` of a text (0-based).

        `mask` overrides the engine's: ``pieces`` asks for every piece of the word, as a probability of the word needs.

        Raises
        ------
        InputError
            If there is no such word.
        """
        if not 0 <= index < len(encoded.words):
            raise InputError(f"There is no word {index} in a text of {len(encoded.words)} words.")
        start, stop = encoded.spans[index]
        count = 1 if (mask or self.mask) == "word" else stop - start
        ids = encoded.input_ids[:start] + (self._mask_id,) * count + encoded.input_ids[stop:]
        return MaskRequest(ids, tuple(range(start, start + count)))

    # Distributions ---------------------------------------------------------------------------------------------

    def answer(self, questions: Sequence[Question], compare: Callable[[Any, Any], Any] | None = None) -> list[Answer]:
        """Answer questions, many at a time.

        Parameters
        ----------
        questions : sequence of Question
            Distributions that are remembered (see `log_probabilities`) are taken from there.
        compare : callable, optional
            Takes log-probabilities of references and of requests, both (rows, vocabulary), and gives divergences
            (rows,). Needed where questions have references.

        Returns
        -------
        list of Answer
            In the order of the questions.
        """
        import torch

        answers = [
            Answer([0.0] * len(q.references), [0.0] * len(q.targets), [False] * len(q.targets)) for q in questions
        ]
        texts: dict[tuple[int, ...], dict[int, list[tuple[int, int]]]] = {}
        for number, question in enumerate(questions):
            request = question.request
            if request in self._cache:
                uses = [(k, number, k) for k in range(len(request.positions))]
                self._read(self._cache[request], uses, questions, answers, compare)
                continue
            places = texts.setdefault(request.input_ids, {})
            for k, position in enumerate(request.positions):
                places.setdefault(position, []).append((number, k))
        todo = list(texts.items())

        def work(batch: Sequence[int]) -> None:
            try:
                rows = self._forward([todo[i] for i in batch])
            except (RuntimeError, MemoryError) as error:
                if len(batch) == 1 or not _is_out_of_memory(error):
                    raise
            else:
                asked = [uses for i in batch for uses in todo[i][1].values()]
                uses = [(row, number, k) for row, each in enumerate(asked) for number, k in each]
                self._read(rows, uses, questions, answers, compare)
                return
            self.batch_tokens = min(self.batch_tokens, len(batch) * len(todo[batch[-1]][0]) // 2)
            if self.loaded.device.startswith("cuda"):
                torch.cuda.empty_cache()
            work(batch[: len(batch) // 2])
            work(batch[len(batch) // 2 :])

        hook = _before_the_head(self.loaded.model).register_forward_hook(self._keep_masked_positions)
        try:
            map_batches(work, self._batches([ids for ids, _ in todo], self._pad_id is not None), self.loaded.device)
        finally:
            hook.remove()
        self.forward_requests += len(todo)
        return answers

    def _batches(self, rows: Sequence[Sequence[int]], padded: bool = False) -> list[list[int]]:
        """Positions of texts that are sent together, shortest first, and at least one batch for each thread.

        They are of one length, unless small batches may be `padded`.
        """
        import torch

        budget = self.batch_tokens
        most = 512 if budget <= 4_096 else 4_096  # the vocabulary vectors of a batch are bounded as well
        if self.loaded.device == "cpu":
            budget = max(1, min(budget, -(-sum(map(len, rows)) // torch.get_num_threads())))
        batches: list[list[int]] = []
        last: list[int] = []
        for batch in batches_of_equal_length(rows, budget):
            length = len(rows[batch[0]])
            added = len(last) * (length - len(rows[last[-1]])) if last else 0  # tokens of padding
            if padded and last and added < _BATCH_COSTS and (len(last) + len(batch)) * length <= budget:
                last += batch
            else:
                batches.append(last := batch)
        return [batch[start : start + most] for batch in batches for start in range(0, len(batch), most)]

    def _keep_masked_positions(self, _module, _arguments, output):
        """Hand only the masked positions on (a hook of `_before_the_head`)."""
        places, self._now.places = getattr(self._now, "places", None), None
        if places is None:  # a forward pass that is not this thread's
            return output
        hidden = output[0][places][:, None, :]
        if isinstance(output, tuple):
            return (hidden, *output[1:])
        output.last_hidden_state = hidden
        return output

    def _forward(self, texts: Sequence[tuple[tuple[int, ...], Iterable[int]]]) -> Any:
        """Log-probabilities at the positions of some texts, text by text, shape (positions, vocabulary)."""
        import torch

        device = self.loaded.device
        longest = max(len(text) for text, _ in texts)
        ids = torch.tensor([text + (self._pad_id,) * (longest - len(text)) for text, _ in texts], device=device)
        lengths = torch.tensor([[len(text)] for text, _ in texts], device=device)
        places = [(row, position) for row, (_, positions) in enumerate(texts) for position in positions]
        self._now.places = tuple(torch.tensor(side, device=device) for side in zip(*places))
        mask = (torch.arange(longest, device=device) < lengths).long()
        logits = self.loaded.model(input_ids=ids, attention_mask=mask).logits
        return torch.log_softmax(logits[:, 0].float(), dim=-1)

    def _read(self, rows, uses: Sequence[tuple[int, int, int]], questions, answers, compare) -> None:
        """Read answers from log-probabilities; a use is (row, number of the question, masked position in it)."""
        import torch

        compared, scored = [], []
        for row, number, k in uses:
            question = questions[number]
            compared += [(row, number, k, which) for which in range(len(question.references))]
            if question.targets:
                scored.append((row, number, k))
            if question.store is not None:
                question.store[k].copy_(rows[row])
        chunk = max(1, _COMPARED_BYTES // (4 * self.vocabulary_size))
        for start in range(0, len(compared), chunk):
            part = compared[start : start + chunk]
            references = torch.stack([questions[number].references[which][k] for _, number, k, which in part])
            values = compare(references, rows[[row for row, *_ in part]]).tolist()
            for (_, number, _, which), value in zip(part, values):
                answers[number].divergences[which] += value / len(questions[number].request.positions)
        if scored:
            tokens = [questions[number].targets[k] for _, number, k in scored]
            values = rows[[row for row, _, _ in scored], tokens].tolist()
            best = rows.argmax(-1).tolist()
            for (row, number, k), token, value in zip(scored, tokens, values):
                answers[number].log_probabilities[k] = value
                answers[number].likeliest[k] = best[row] == token

    def room(self, rows: int) -> Any:
        """An empty tensor for log-probabilities, shape (rows, vocabulary)."""
        import torch

        return torch.empty((rows, self.vocabulary_size), device=self.loaded.device)

    def log_probabilities(self, requests: Sequence[MaskRequest]) -> list[Any]:
        """Distributions of requests in their order; they are remembered.

        Returns
        -------
        list of torch.Tensor, float32, each of shape (masked positions, vocabulary), in nats
        """
        found = {request: self._cache[request] for request in requests if request in self._cache}
        missing = [request for request in dict.fromkeys(requests) if request not in found]
        stores = [self.room(len(request.positions)) for request in missing]
        self.answer([Question(request, store=store) for request, store in zip(missing, stores)])
        found |= dict(zip(missing, stores))
        for request in found:
            self._cache[request] = found[request]
            self._cache.move_to_end(request)
        while len(self._cache) > self.cache_words:
            self._cache.popitem(last=False)
        return [found[request] for request in requests]

    def contextual_vectors(self, texts: Sequence[Sequence[str]]):
        """Mean of the last layer's vectors over the pieces of each text, special tokens left out.

        Returns
        -------
        numpy.ndarray, float32, shape (n, hidden size)
        """
        import numpy
        import torch

        vectors = numpy.zeros((len(texts), self.loaded.model.config.hidden_size), dtype=numpy.float32)
        rows = [self.encode(words).input_ids for words in texts]

        def work(batch: list[int]) -> None:
            ids = torch.tensor([rows[index] for index in batch], device=self.loaded.device)
            hidden = self.loaded.model.base_model(input_ids=ids, attention_mask=torch.ones_like(ids))[0]
            vectors[batch] = hidden[:, 1:-1].float().mean(1).cpu().numpy()

        map_batches(work, self._batches(rows), self.loaded.device)
        return vectors


def _known(model: Any) -> bool:
    """Whether positions see each other in the attention of each layer alone."""
    return model.config.model_type in {"bert", "roberta", "xlm-roberta", "camembert", "electra", "mpnet"}


def _before_the_head(model: Any) -> Any:
    """The last part of a model in which positions see each other: its last attention where that is known."""
    layers = getattr(getattr(model.base_model, "encoder", None), "layer", None)
    return layers[-1].attention if _known(model) and layers else model.base_model


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    # on a CPU PyTorch raises a plain RuntimeError
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


@functools.lru_cache(maxsize=1)
def cached_engine(model: str = EMBEDDED, mask: str = "word", dtype: str = "float32") -> MaskedLM:
    """The engine of a model by name, loaded once in a process."""
    return MaskedLM(model, mask=mask, dtype=dtype)


def on_engine(
    function: Callable[..., list[Any]],
    items: list[Any],
    *,
    model: str = EMBEDDED,
    mask: str = "word",
    dtype: str = "float32",
    **options: Any,
) -> list[Any]:
    """``function(engine, items, **options)`` with a model by name, so that `nbhelpers.base.shards.map` can call it.

    Bind everything but `items` with `functools.partial`.

    Examples
    --------
    >>> def pieces(engine, items):
    ...     return [len(engine.encode(words).input_ids) - 2 for words in items]
    >>> on_engine(pieces, [["cold", "rain"]])  # doctest: +SKIP
    [2]
    """
    return function(cached_engine(model, mask, dtype), items, **options)


def check_words(words: Sequence[str]) -> tuple[str, ...]:
    """Check that `words` is a non-empty sequence of non-empty strings, and return it as a tuple.

    Raises
    ------
    InputError
        With one sentence that says what is wrong.
    """
    if isinstance(words, str) or not isinstance(words, Iterable):
        kind = "one string" if isinstance(words, str) else type(words).__name__
        raise InputError(
            f"A sentence is given as a list of words, not as {kind}; nbhelpers.metrics.ndd.split_words splits."
        )
    words = tuple(words)
    if not words:
        raise InputError("A sentence has at least one word; this one is empty.")
    for index, word in enumerate(words):
        if not isinstance(word, str) or not word.strip():
            raise InputError(f"Word {index} is empty or no text: {word!r}.")
    return words


def _space_marker(tokenizer) -> str | None:
    """How a tokenizer marks a preceding space: ``Ġ`` (byte-level BPE), ``▁`` (SentencePiece) or not at all."""
    first = (tokenizer.tokenize(" a") or [""])[0]
    return next((marker for marker in ("Ġ", "▁") if first.startswith(marker)), None)
