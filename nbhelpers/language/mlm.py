"""The masked-LM engine: which words does a model expect at a masked position?

One engine serves every measure that asks a masked language model: NDD, pseudo-perplexity, BLANC and Coverage. A
*request* is a sequence of token ids in which positions are masked; the answer is one log-probability vector per
masked position, in float32 and log-space from the start.

* Only masked positions are projected onto the vocabulary.
* Requests are grouped by exact length, so nothing is padded, into batches with a token budget that is halved when
  memory runs out. Batch size and order change no number beyond rounding (1e-5).
* Words are the unit of text. A word keeps its identity whatever the tokenizer makes of it: lower-cased, stripped of
  accents, split into pieces, unknown, or nothing at all (then it stands as the unknown token).
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nbhelpers.base.errors import InputError, ModelError, TextTooLongError
from nbhelpers.resources.models import EMBEDDED, LoadedModel, batches_of_equal_length, load_masked_lm, longest_input

MASKING = ("word", "pieces")


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
    forward_tokens, forward_requests : int
        Tokens and requests sent through the model so far, for measuring cost.
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
        if batch_tokens is not None and batch_tokens < 1:
            raise InputError(f"batch_tokens is at least 1, not {batch_tokens}.")
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
        self._unknown_id = tokenizer.unk_token_id if tokenizer.unk_token_id is not None else self._mask_id
        self._space = _space_marker(tokenizer)
        self._pieces: dict[tuple[str, bool], tuple[int, ...]] = {}
        self._cache: OrderedDict[MaskRequest, Any] = OrderedDict()
        self._cache_size = cache_words
        self.forward_tokens = self.forward_requests = 0

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
            For a plain string, no words, an empty word, or a `space_before` of another length.
        TextTooLongError
            If the model cannot take the whole text; it is never cut.
        """
        words = check_words(words)
        if space_before is None:
            space_before = self.default_spaces(len(words))
        elif len(space_before) != len(words):
            raise InputError(f"space_before has {len(space_before)} entries for {len(words)} words.")
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

    def batches(self, requests: Sequence[MaskRequest]) -> Iterator[tuple[list[tuple[int, int]], Any]]:
        """Answer requests batch by batch, shortest texts first.

        Yields
        ------
        rows : list of (int, int)
            For each row of the tensor the index of its request and of the masked position within it.
        log_probabilities : torch.Tensor, float32, shape (len(rows), vocabulary), in nats
        """
        import torch

        by_length: dict[int, list[int]] = {}
        for index, request in enumerate(requests):
            by_length.setdefault(len(request.input_ids), []).append(index)
        budget = self.batch_tokens
        for length, indices in sorted(by_length.items()):
            start = 0
            while start < len(indices):
                # the vocabulary vectors of a batch are bounded as well, for very short texts
                step = max(1, min(budget // length, 512 if budget <= 4_096 else 4_096))
                chosen = indices[start : start + step]
                try:
                    answer = self._forward([requests[i] for i in chosen])
                except (RuntimeError, MemoryError) as error:
                    if len(chosen) == 1 or not _is_out_of_memory(error):
                        raise
                    budget = max(length, length * len(chosen) // 2)
                    if self.loaded.device.startswith("cuda"):
                        torch.cuda.empty_cache()
                    continue
                start += len(chosen)
                yield [(i, k) for i in chosen for k in range(len(requests[i].positions))], answer

    @property
    def cache_words(self) -> int:
        """How many distributions are remembered."""
        return self._cache_size

    def log_probabilities(self, requests: Sequence[MaskRequest]) -> list[Any]:
        """Answer requests in their order, remembering the answers.

        Returns
        -------
        list of torch.Tensor, float32, each of shape (masked positions, vocabulary), in nats
        """
        answers: dict[MaskRequest, Any] = {}
        for request in requests:
            if request in self._cache:
                self._cache.move_to_end(request)
                answers[request] = self._cache[request]
        missing = [request for request in dict.fromkeys(requests) if request not in answers]
        parts: dict[int, list[Any]] = {}
        for rows, log_probabilities in self.batches(missing):
            for row, (index, _) in enumerate(rows):
                parts.setdefault(index, []).append(log_probabilities[row].clone())
        import torch

        for index, rows in parts.items():
            answers[missing[index]] = self._cache[missing[index]] = torch.stack(rows)
        while len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return [answers[request] for request in requests]

    def compare(
        self,
        pairs: Sequence[tuple[MaskRequest, MaskRequest]],
        divergence: Callable[[Any, Any], Any],
    ) -> list[float]:
        """Compare the distributions of two requests, pair by pair, without keeping those of the second.

        Parameters
        ----------
        pairs : sequence of (reference request, other request)
            References are remembered (see `log_probabilities`); others are taken from memory where they are there, and
            used once where not. Both have the same number of masked positions.
        divergence : callable
            Takes two tensors of log-probabilities, reference and other, shape (rows, vocabulary), and gives (rows,).

        Returns
        -------
        list of float
            The divergence of each pair, the mean over its masked positions.
        """
        import torch

        totals = [0.0] * len(pairs)
        window = max(1, self._cache_size // 2)  # so that the references of one window stay in the cache together

        def add(index: int, reference, other) -> None:
            totals[index] = float(divergence(reference, other).mean())

        for offset in range(0, len(pairs), window):
            chunk = list(enumerate(pairs[offset : offset + window], start=offset))
            references = self.log_probabilities([reference for _, (reference, _) in chunk])
            fresh = []
            for (index, (_, request)), reference in zip(chunk, references):
                if request in self._cache:
                    add(index, reference, self._cache[request])
                else:
                    fresh.append((index, request, reference))
            for rows, other in self.batches([request for _, request, _ in fresh]):
                reference = torch.stack([fresh[number][2][k] for number, k in rows])
                for (number, _), value in zip(rows, divergence(reference, other).tolist()):
                    totals[fresh[number][0]] += value / len(fresh[number][1].positions)
        return totals

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
        with torch.inference_mode():
            for chosen in batches_of_equal_length(rows, self.batch_tokens):
                ids = torch.tensor([rows[index] for index in chosen], device=self.loaded.device)
                hidden = self.loaded.model.base_model(input_ids=ids, attention_mask=torch.ones_like(ids))[0]
                vectors[chosen] = hidden[:, 1:-1].float().mean(1).cpu().numpy()
        return vectors

    def _forward(self, requests: Sequence[MaskRequest]):
        import torch

        device = self.loaded.device
        ids = torch.tensor([request.input_ids for request in requests], device=device)
        rows = [row for row, request in enumerate(requests) for _ in request.positions]
        positions = [position for request in requests for position in request.positions]
        places = torch.tensor(rows, device=device), torch.tensor(positions, device=device)

        def keep_masked_positions(_module, _arguments, output):
            """Hand only the masked positions on from the encoder to the vocabulary head."""
            hidden = output[0][places][:, None, :]
            if isinstance(output, tuple):
                return (hidden, *output[1:])
            output.last_hidden_state = hidden
            return output

        hook = self.loaded.model.base_model.register_forward_hook(keep_masked_positions)
        try:
            with torch.inference_mode():
                logits = self.loaded.model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
        finally:
            hook.remove()
        self.forward_tokens += ids.numel()
        self.forward_requests += len(requests)
        return torch.log_softmax(logits[:, 0].float(), dim=-1)


def _is_out_of_memory(error: Exception) -> bool:
    import torch

    # on a CPU PyTorch raises a plain RuntimeError
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or "can't allocate memory" in str(error)


@functools.lru_cache(maxsize=1)
def cached_engine(model: str = EMBEDDED, mask: str = "word", device: str = "auto", dtype: str = "float32") -> MaskedLM:
    """The engine of a model by name, loaded once in a process: for functions that `nbhelpers.base.shards.map` calls."""
    return MaskedLM(model, mask=mask, device=device, dtype=dtype)


def check_words(words: Sequence[str]) -> tuple[str, ...]:
    """Check that `words` is a non-empty sequence of non-empty strings, and return it as a tuple.

    Raises
    ------
    InputError
        With one sentence that says what is wrong.
    """
    if isinstance(words, str):
        raise InputError(
            "A sentence is given as a list of words, not as one string; nbhelpers.metrics.ndd.split_words splits."
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
