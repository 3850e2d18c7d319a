"""Made changes of a sentence that keep its meaning, and others of about the same size that damage it.

`MadeEdits` reads a sentence once (tokens and tags) and draws edits at random. What keeps the meaning has partners that
do not: two words around *and* may be swapped, two others may not; *is unsafe* says *is not safe*, but not *is safe*; a
passive turns the sentence round, an exchange of its two sides alone changes who did what. So neither the number of
words that stay, nor a *not*, nor the order of words alone says whether the meaning stayed.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nbhelpers.base import paths
from nbhelpers.language.english import load_english
from nbhelpers.language.inflection import IRREGULAR, base_form, detached
from nbhelpers.language.tokens import token_spans
from nbhelpers.resources.challenge import normalized

_FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_BE = frozenset("is are was were am".split())
_AUXILIARIES = _BE | frozenset("can could may might must should will would has have had does do did".split())
_PRONOUNS = (
    "he she/him her/his their/her his/they he/we they/I you/I we/himself herself/you they/she he/them us/their our"
)
_TURNED = (
    "all some/all no/every no/many few/most few/some no/always never/often rarely/never sometimes/more less"
    "/before after/after before/with without/without with/up down/down up/from to/to from/over under/above below"
    "/both neither/least most/only also/can cannot/must may/may must/will might/because although/although because"
    "/and or/first last/last first/everyone nobody/nobody everyone/everything nothing/best worst/first second"
    "/million billion/higher lower/lower higher/increased decreased/rose fell/fell rose/north south/east west"
    "/south north/west east/morning evening/minutes hours"
)
_OTHERWISE = (
    "despite>because of/because of>despite/in spite of>owing to/due to>despite/owing to>despite"
    "/thanks to>in spite of/although>because/because>although/because>whenever/if>unless/unless>if/if>although"
    "/until>since/since>until/until>after/while>before/as soon as>long before/instead of>as well as"
    "/as well as>instead of"
    "/including>except/except for>including/at least>at most/at most>at least/at least>exactly/more than>less than"
    "/more than>exactly/less than>more than/no more than>more than/up to>more than/about>more than/a few>few/few>a few"
    "/half of>all of/half>twice/most of>few of/some of>all of/all of>half of/one of>none of/each of>one of"
    "/almost>more than/nearly>well over/may>will/may>must/might>will/can>must/could>did not/must>could/should>must"
    "/should>need not/will>may"
    "/would>might/probably>certainly/possibly>surely/perhaps>certainly/certainly>possibly/clearly>arguably/likely>certain"
    "/unlikely>certain/suggest>prove/suggests>proves/suggested>proved/showed>suggested/shows>suggests/proved>suggested"
    "/believed>proved/said>denied/claimed>proved/hopes>refuses/wants>refuses/promised>refused/agreed>refused/asked>forced"
    "/allowed>forced/is>may be/are>may be/was>may have been/has>may have/were>are said to have been/tried to>managed to"
    "/managed to>tried to/as many as>more than/as well as>better than/the same>almost the same/better than>as good as"
    "/no longer>still/still>no longer/not yet>already/already>not yet/every day>every week/every year>every month"
    "/last year>next year/last week>last month/today>yesterday/now>soon/a third>two thirds/both>one of the/double>half"
)
_SHORT = (
    "did not>didn't/does not>doesn't/do not>don't/is not>isn't/are not>aren't/was not>wasn't/were not>weren't"
    "/has not>hasn't/have not>haven't/had not>hadn't/will not>won't/would not>wouldn't/could not>couldn't"
    "/cannot>can't/it is>it's/he is>he's/she is>she's/there is>there's/that is>that's/I am>I'm/we are>we're"
    "/they are>they're/you are>you're/I have>I've/we have>we've/they have>they've/I will>I'll/he will>he'll"
    "/they will>they'll/should not>shouldn't"
)
_PHRASES = (
    "in order to>to/a lot of>many/due to>because of/as well as>and also/approximately>about/however>but"
    "/such as>like/prior to>before/for example>for instance/a number of>several/in addition>also/at present>now"
    "/took place>happened/located in>in/is able to>can/in spite of>despite/a great deal of>much"
    "/with regard to>about/at the end of>at the close of/started>began/began to>started to/near>close to/until>till"
    "/almost>nearly/large>big/children>kids/a man>a guy/a person>somebody/received>got/is known as>is called"
    "/was known as>was called/nearly all>almost all/per cent>percent/U.S.>United States/TV>television"
    "/such as>for example/also>as well/often>frequently/about>around/many>lots of/but>yet/despite>in spite of"
    "/someone>a person/there is no>there isn't any/there are no>there aren't any/no one>nobody/not any>no"
)
_ONE_WAY = frozenset("in to before about but yet around no can also many or".split())  # they stand for too much else
_LEADS = ("In fact, ", "Indeed, ", "It is the case that ", "As it is, ", "Note that ", "Well, ", "As reported, ")
_FIXED = ("NNP", "NNPS", "JJR", "JJS", "RBR", "RBS", "RP")  # tags of words that are never replaced
_SIGNS = dict(zip("DT PRP$ JJ NN NNS NNP VBD VBZ IN .".split(), "DDJNNNVVI."))  # what a plain sentence is made of
_PLANS = ("will", "failed to", "tried to", "might", "refused to", "should", "used to", "planned to")
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
_UNITS += "sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_MONTHS = "January February March April May June July August September October November December"
_DATE = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS.split())}) (\d{{4}})\b")
_CLAUSE = re.compile(
    r"^(?P<main>[^,;]{15,}?),? (?P<how>because|although|when|while|after|before|if|since|until|unless|in|on|at|during) "
    r"(?P<rest>[^,;]{6,}?) ?(?P<end>[.!])$"
)
_FRONTED = re.compile(
    r"^(?P<how>Because|Although|When|While|After|Before|If|Since|In|On|At|During) (?P<rest>[^,;]{4,80}?) ?, "
    r"(?P<main>[^;]{12,}?) ?(?P<end>[.!])$"
)


def noisy(text: str, rng: random.Random) -> str:
    """A text with what should not matter: other case, a slip of the pen, other punctuation or blanks, tokenised."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice((text.lower(), text.lower(), text.upper(), text.title()))
    if kind == 1:
        return text.rstrip(" .!") if text.rstrip().endswith((".", "!")) else text.rstrip() + "."
    if kind == 2:
        return re.sub(r"([.,;:!?\"()])", r" \1 ", re.sub(r"n't\b", " n't", text)).replace("  ", " ").strip()
    if kind == 3:
        return rng.choice((text.replace(",", ""), text.replace(" ", "  ", 2), f" {text}", text.replace("-", " ")))
    places = [m for m in re.finditer(r"[a-z]{5,}", text)]
    return _slip(text, rng.choice(places), rng) if places else text.lower()


def _slip(text: str, word: re.Match, rng: random.Random) -> str:
    """A text with two letters of a word exchanged, one lost, or one doubled."""
    at = rng.randrange(word.start() + 1, word.end() - 1)
    return text[:at] + rng.choice((text[at + 1] + text[at], text[at + 1], text[at] * 2 + text[at + 1])) + text[at + 2 :]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _like(word: str, new: str) -> str:
    return _capital(new) if word[:1].isupper() else new


def number_words(number: int) -> str:
    """English words of a number from 0 to 99."""
    if number < 20:
        return _UNITS[number]
    return _TENS[number // 10 - 2] + (f"-{_UNITS[number % 10]}" if number % 10 else "")


@dataclass(frozen=True)
class Read:
    """A sentence with its tokens' places and tags."""

    text: str
    spans: Sequence[tuple[int, int]]
    tags: Sequence[str]

    def word(self, place: int) -> str:
        """The token at a place."""
        return self.text[slice(*self.spans[place])]

    def words(self) -> list[str]:
        """All tokens in small letters."""
        return [self.word(place).lower() for place in range(len(self.tags))]

    def inside(self, beginning: str) -> str:
        """A beginning of the text as it stands inside a sentence: with a small letter, unless it is a name or *I*."""
        named = self.tags[0].startswith("NNP") or self.word(0) == "I"
        return beginning if named else beginning[0].lower() + beginning[1:]

    def places(self, *tags: str) -> list[int]:
        """Places of tokens whose tag begins with one of these."""
        return [place for place, tag in enumerate(self.tags) if tag.startswith(tags) and self.word(place)[0].isalnum()]

    def replaced(self, changes: Iterable[tuple[int, int, str]]) -> str:
        """The text with tokens from a first to (not including) a last place replaced; "" takes the blank along."""
        text = self.text
        for first, last, new in sorted(changes, reverse=True):
            start, end = self.spans[first][0], self.spans[last - 1][1] if last > first else self.spans[first][0]
            if not new and text[end : end + 1] == " ":
                end += 1
            text = text[:start] + new + text[end:]
        return _like(self.text, text)


def _tagged(texts: Sequence[str]) -> list[Read]:
    spans = [token_spans(text) for text in texts]
    tags = load_english().tag([[text[a:b] for a, b in places] for text, places in zip(texts, spans)])
    return [Read(*one) for one in zip(texts, spans, tags)]


def inflected(lemma: str, tag: str) -> str:
    """A form of an English lemma by its Penn Treebank tag; by rule where `IRREGULAR` has none."""
    if tag in ("VBD", "VBN"):
        forms = [one for one, of in IRREGULAR["v"].items() if lemma in of and not one.endswith(("ing", "oes"))]
        if forms:
            return forms[-1] if tag == "VBN" else forms[0]
        if lemma in {"put", "set", "cut", "hit", "let", "hurt", "cost", "shut", "spread", "split", "cast", "burst"}:
            return lemma
        if re.search(r"^[^aeiou]*[aeiou][bdgmnprt]$", lemma):
            return lemma + lemma[-1] + "ed"
        return lemma + "d" if lemma.endswith("e") else re.sub(r"([^aeiou])y$", r"\1i", lemma) + "ed"
    if tag == "VBG":
        return re.sub(r"([^e])e$", r"\1", lemma) + "ing"
    if tag in ("VBZ", "NNS"):
        forms = [form for form, lemmas in IRREGULAR["n"].items() if lemma in lemmas] if tag == "NNS" else []
        stem = re.sub(r"([^aeiou])y$", r"\1ie", lemma)
        return forms[0] if forms else stem + ("es" if lemma.endswith(("s", "x", "ch", "sh", "z")) else "s")
    return lemma


def _table(text: str, mark: str) -> list[tuple[str, str]]:
    return [tuple(pair.split(mark)) for pair in text.split("/")]


@dataclass
class MadeEdits:
    """Draws edits; made by `MadeEdits.load`.

    Attributes
    ----------
    synonyms, antonyms, sisters : dict
        By part of speech and lemma; sisters are other kinds of the same thing or act.
    pools : dict
        Words by tag, and names, that may replace a word.
    """

    synonyms: dict[tuple[str, str], list[str]]
    antonyms: dict[tuple[str, str], list[str]]
    sisters: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    pools: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def load(cls, wordnet: Path) -> MadeEdits:
        """Synonyms whose first sense is shared, and antonyms, from a folder in WordNet's own format.

        The project's synonyms are taken as well.
        """
        synonyms: dict = defaultdict(list)
        antonyms: dict = defaultdict(list)
        sisters: dict = {}
        for part, name in _FILES.items():
            first, synsets = {}, {}
            kinds: dict = defaultdict(list)
            for line in (wordnet / f"index.{name}").read_text().splitlines():
                if not line.startswith(" "):
                    fields = line.split()
                    first[fields[0]] = next(f for f in fields[4:] if len(f) == 8 and f.isdigit())
            for line in (wordnet / f"data.{name}").read_text().splitlines():
                if line.startswith(" "):
                    continue
                fields = line.split("|")[0].split()
                count = int(fields[3], 16)
                words = [re.sub(r"\(.*\)", "", word).lower() for word in fields[4 : 4 + 2 * count : 2]]
                synsets[fields[0]] = words, fields[4 + 2 * count :]
            for offset, (words, rest) in synsets.items():
                same = [word for word in words if first.get(word) == offset and word.isalpha() and len(word) > 2]
                for word in same:
                    synonyms[part, word] += [other for other in same if other != word]
                if same and "@" in rest:
                    kinds[rest[rest.index("@") + 1]].append(same)
                for place in range(1, len(rest) - 3, 4):
                    if rest[place] == "!" and rest[place + 1] in synsets:
                        source, target = int(rest[place + 3][:2], 16), int(rest[place + 3][2:], 16)
                        word, other = words[source - 1], synsets[rest[place + 1]][0][target - 1]
                        if first.get(word) == offset and other.isalpha() and word.isalpha():
                            antonyms[part, word].append(other)
            for groups in kinds.values():
                if 1 < len(groups) < 60:
                    for same in groups:
                        others = [words[0] for words in groups if words is not same]
                        sisters |= {(part, word): others for word in same}
        for row in (paths.data_dir() / "corpus" / "synonyms-en.tsv").read_text().splitlines()[1:]:
            fields = row.split("\t")
            if len(fields) == 4 and fields[3] == "word" and fields[2][0] in "nva" and " " not in fields[0] + fields[1]:
                synonyms[fields[2][0], fields[0]].append(fields[1])
                synonyms[fields[2][0], fields[1]].append(fields[0])
        return cls(dict(synonyms), dict(antonyms), sisters)

    def read(self, texts: Sequence[str]) -> list[Read]:
        """Sentences with tags; their words join the pools from which replacements are drawn."""
        read = [one for one in _tagged(texts) if one.spans]
        for one in read:
            for place, tag in enumerate(one.tags):
                word = one.word(place)
                if word.isalpha() and len(word) > 2 and word.lower() not in _AUXILIARIES:
                    self.pools[tag].append(word if tag.startswith("NNP") else word.lower())
        return read

    # ------------------------------------------------------------------------------------------------ helpers

    def _lemma(self, word: str, tag: str) -> str | None:
        word = word.lower()
        if tag in ("VBD", "VBZ"):
            return base_form(word, tag)
        if tag in ("NNS", "VBG", "VBN"):
            part = "n" if tag == "NNS" else "v"
            known = IRREGULAR[part].get(word) or detached(word, part)
            return next((one for one in known if (part, one) in self.synonyms or (part, one) in self.antonyms), None)
        return word

    def _others(self, table: dict, sentence: Read, place: int) -> list[str]:
        tag = sentence.tags[place]
        part = {"N": "n", "V": "v", "J": "a", "R": "r"}.get(tag[0])
        if part is None or tag in _FIXED or sentence.word(place).lower() in _AUXILIARIES:
            return []
        lemma = self._lemma(sentence.word(place), tag)
        return [inflected(one, tag) for one in table.get((part, lemma), ())] if lemma else []

    def _replaceable(self, table: dict, s: Read) -> list[tuple[int, list[str]]]:
        """Places of words with what may stand there by a table."""
        found = ((place, self._others(table, s, place)) for place in s.places("N", "V", "J", "R"))
        return [(place, others) for place, others in found if others]

    # ------------------------------------------------------------------------------------------------ what keeps

    def synonym(self, s: Read, rng: random.Random) -> str | None:
        """One to three words replaced by synonyms, or a phrase by one that says the same."""
        found = self._replaceable(self.synonyms, s)
        if not found:
            return None
        rng.shuffle(found)
        chosen = found[: rng.randint(1, 3)]
        return s.replaced([(p, p + 1, _like(s.word(p), rng.choice(others))) for p, others in chosen])

    def phrase(self, s: Read, rng: random.Random) -> str | None:
        """Contractions, and fixed phrases for others."""
        pairs = _table(_SHORT, ">") * 2 + _table(_PHRASES, ">")
        ways = [pair for a, b in pairs for pair in ((a, b), (b, a)) if pair[0] not in _ONE_WAY]
        pairs = [pair for pair in ways if re.search(rf"\b{re.escape(pair[0])}\b", s.text, re.I)]
        if not pairs:
            return None
        old, new = rng.choice(pairs)
        return re.sub(rf"\b{re.escape(old)}\b", lambda m: _like(m.group(), new), s.text, count=1, flags=re.I)

    def clause(self, s: Read, rng: random.Random) -> str | None:
        """A clause or phrase of time, place or cause moved to the other end of the sentence."""
        if m := _FRONTED.match(s.text):
            return f"{_capital(m['main'])} {m['how'].lower()} {m['rest']}{m['end']}"
        if m := _CLAUSE.match(s.text):
            return f"{m['how'].capitalize()} {m['rest']}, {s.inside(m['main'])}{m['end']}"
        return None

    def coordination(self, s: Read, rng: random.Random) -> str | None:
        """Two words around *and* or *or* swapped."""
        found = [
            p
            for p in range(1, len(s.tags) - 1)
            if s.word(p) in ("and", "or")
            and s.tags[p - 1] == s.tags[p + 1]
            and (p < 2 or s.tags[p - 2][:1] not in "NJ")
            and (p + 2 >= len(s.tags) or s.tags[p + 2][:1] not in "NJI")
        ]
        if not found:
            return None
        p = rng.choice(found)
        return s.replaced([(p - 1, p, s.word(p + 1)), (p + 1, p + 2, s.word(p - 1))])

    def _sides(self, s: Read) -> tuple[str, str, str, str, str] | None:
        """Subject, verb, its tag, object and the rest of a plain sentence in the past or present."""
        m = re.match(r"(D?J*N+)(V)(D?J*N+)(I.*|)(\.?)$", "".join(_SIGNS.get(tag, "x") for tag in s.tags))
        if not m or s.word(m.start(2)).lower() in _AUXILIARIES | {"became", "becomes", "remained", "remains", "seemed"}:
            return None

        def text(group: int) -> str:
            a, b = m.span(group)
            return s.text[s.spans[a][0] : s.spans[b - 1][1]] if b > a else ""

        return s.inside(text(1)), s.word(m.start(2)), s.tags[m.start(2)], text(3), text(4).rstrip(" .")

    def _passive(self, agent: str, verb: str, tag: str, patient: str, rest: str) -> str | None:
        lemma = base_form(verb, tag)
        if lemma is None:
            return None
        plural = patient.endswith("s") and not patient.endswith("ss")
        be = {("VBD", True): "were", ("VBD", False): "was", ("VBZ", True): "are"}.get((tag, plural), "is")
        return f"{_capital(patient)} {be} {inflected(lemma, 'VBN')} by {agent}{' ' + rest if rest else ''}."

    def passive(self, s: Read, rng: random.Random) -> str | None:
        """A plain active sentence in the passive."""
        sides = self._sides(s)
        return sides and self._passive(*sides)

    def form(self, s: Read, rng: random.Random) -> str | None:
        """Numbers in words or figures, dates in another form; else punctuation, case or slips of the pen."""
        numbers, words = [(p, s.word(p).lower()) for p in s.places("CD")], {number_words(n): n for n in range(2, 100)}
        changes = [(p, p + 1, str(words[word])) for p, word in numbers if word in words]
        changes += [(p, p + 1, number_words(int(word))) for p, word in numbers if re.fullmatch(r"[0-9]{1,2}", word)]
        if (m := _DATE.search(s.text)) and rng.random() < 0.6:
            return s.text.replace(m.group(), f"{m[2]} {m[1]}, {m[3]}", 1)
        if changes and rng.random() < 0.7:
            return s.replaced(changes)
        kind = rng.randrange(4)
        if kind == 0:
            return re.sub(r"\s*[.,;:!?\"'`]+(?=\s|$)", "", s.text) or None
        if kind == 1:
            return re.sub(r" ([.,;:!?'])", r"\1", s.text.replace("`` ", '"').replace(" ''", '"')).lower()
        letters = [m for m in re.finditer(r"[A-Za-z]{5,}", s.text)]
        text = s.text
        for m in sorted(rng.sample(letters, min(len(letters), rng.randint(1, 3))), key=lambda m: -m.start()):
            text = _slip(text, m, rng)
        return text

    def wrapped(self, s: Read, rng: random.Random) -> str | None:
        """Words that say nothing before the sentence, or the sentence twice."""
        if rng.random() < 0.25:
            return f"{s.text} {s.text}"
        return rng.choice(_LEADS) + s.inside(s.text)

    def opposite_denied(self, s: Read, rng: random.Random) -> str | None:
        """*is unsafe* for *is not safe*, *did not fail* for *succeeded*, and the other way round."""
        finite, change = self._finite(s), self._negation(s)
        if finite is None:
            return None
        near = range(finite + 1, finite + 3)  # only what the verb's negation reaches, and close to it
        found = self._replaceable(self.antonyms, s)
        found = [(p, others) for p, others in found if p == finite or s.tags[p] == "JJ" and p in near]
        if not found:
            return None
        place, others = rng.choice(found)
        new = rng.choice(others)
        if change is None:
            return None
        if place != finite:
            return s.replaced([change, (place, place + 1, new)]) if place >= change[1] else None
        lemma = base_form(new, s.tags[place])
        if lemma is None or change[2].count(" ") != 2:
            return None
        return s.replaced([(*change[:2], " ".join([*change[2].split()[:-1], lemma]))])

    # ------------------------------------------------------------------------------------------------ what damages

    def _finite(self, s: Read) -> int | None:
        return next((p for p, tag in enumerate(s.tags) if tag in ("MD", "VBD", "VBZ", "VBP")), None)

    def _negation(self, s: Read) -> tuple[int, int, str] | None:
        """The change that negates the first finite verb, or takes its negation away."""
        p = self._finite(s)
        if p is None:
            return None
        word, tag = s.word(p), s.tags[p]
        if p + 1 < len(s.tags) and s.word(p + 1).lower() in ("not", "n't", "never"):
            return p, p + 2, {"ca": "can", "wo": "will"}.get(word.lower(), word)
        perfect = word.lower() in ("has", "have", "had") and "VBN" in s.tags[p + 1 : p + 3]
        if tag == "MD" or word.lower() in _BE or perfect:
            return p, p + 1, f"{word} not"
        lemma = base_form(word, tag)
        return (p, p + 1, f"{ {'VBD': 'did', 'VBZ': 'does'}.get(tag, 'do') } not {lemma}") if lemma else None

    def negation(self, s: Read, rng: random.Random) -> str | None:
        """The first finite verb negated, or its negation taken away."""
        change = self._negation(s)
        if change is None:
            return None
        text = s.replaced([change])
        return self.phrase(Read(text, s.spans, s.tags), rng) or text if rng.random() < 0.4 else text

    def opposite(self, s: Read, rng: random.Random) -> str | None:
        """A word replaced by its antonym."""
        found = self._replaceable(self.antonyms, s)
        if not found:
            return None
        place, others = rng.choice(found)
        return s.replaced([(place, place + 1, _like(s.word(place), rng.choice(others)))])

    def turned(self, s: Read, rng: random.Random) -> str | None:
        """A word for how many, when, where to or how sure replaced by one that says otherwise."""
        pairs = [(p, new) for old, new in _table(_TURNED, " ") for p, word in enumerate(s.words()) if word == old]
        if not pairs:
            return None
        p, new = rng.choice(pairs)
        return s.replaced([(p, p + 1, _like(s.word(p), new))])

    def otherwise(self, s: Read, rng: random.Random) -> str | None:
        """A phrase for why, when, how many or how sure replaced by one that says otherwise."""
        words = f" {' '.join(s.words())} "
        pairs = [(old, new) for old, new in _table(_OTHERWISE, ">") if f" {old} " in words]
        pairs = [pair for pair in pairs if not any(pair[0] in other and pair[0] != other for other, _ in pairs)]
        rare = [pair for pair in pairs if pair[0] not in _AUXILIARIES]
        if not pairs:
            return None
        old, new = rng.choice(rare or pairs)
        return re.sub(rf"\b{re.escape(old)}\b", lambda m: _like(m.group(), new), s.text, count=1, flags=re.I)

    def scope(self, s: Read, rng: random.Random) -> str | None:
        """*only*, *even*, *almost* or *just* put before something else."""
        found = [p for p in range(len(s.tags) - 1) if s.word(p).lower() in ("only", "even", "almost", "just", "also")]
        if not found:
            return None
        p = rng.choice(found)
        places = [q for q in s.places("DT", "CD", "PRP", "NNP", "VB", "IN") if q and abs(q - p - 0.5) > 1]
        word = s.word(p).lower()
        if p and (not places or rng.random() < 0.5):
            return s.replaced([(0, 1, f"{word} {s.inside(s.word(0))}"), (p, p + 1, "")])
        if not places:
            return None
        q = rng.choice(places)
        return s.replaced([(q, q, f"{word} "), (p, p + 1, "")])

    def pronoun(self, s: Read, rng: random.Random) -> str | None:
        """A pronoun replaced by one for somebody else."""
        pairs = [pair for a, b in _table(_PRONOUNS, " ") for pair in ((a, b), (b, a))]
        found = [(p, new) for p in s.places("PRP") for old, new in pairs if s.word(p).lower() == old.lower()]
        if not found:
            return None
        p, new = rng.choice(found)
        words = s.words()
        return s.replaced([(q, q + 1, _like(s.word(q), new)) for q, word in enumerate(words) if word == words[p]])

    def roles(self, s: Read, rng: random.Random) -> str | None:
        """Two words or names of one kind exchanged, or who did it with whom it was done to."""
        sides = self._sides(s)
        if sides and rng.random() < 0.7:
            subject, verb, tag, thing, rest = sides
            if rng.random() < 0.5:
                return self._passive(thing, verb, tag, subject, rest)
            return f"{_capital(thing)} {verb} {subject}{' ' + rest if rest else ''}."
        kinds = [s.places(tag) for tag in ("NNP", "NN", "NNS", "JJ", "CD", "VBD", "VBN")]
        pairs = [
            (a, b)
            for places in kinds
            for i, a in enumerate(places)
            for b in places[i + 1 :]
            if b - a > 1
            and s.word(a).lower() != s.word(b).lower()
            and not (b - a == 2 and s.word(a + 1) in ("and", "or", ","))
            and s.tags[a] == s.tags[b]
        ]
        if not pairs:
            return None
        a, b = rng.choice(pairs)
        return s.replaced([(a, a + 1, s.word(b)), (b, b + 1, s.word(a))])

    def word(self, s: Read, rng: random.Random) -> str | None:
        """A noun, verb, adjective or name replaced by another of the same tag, or by another kind of the same thing."""
        tag = rng.choice(("NN", "NN", "NNS", "JJ", "VBD", "VBN", "VBZ", "VBG", "VB", "NNP", "NNP"))
        places = [p for p in s.places(tag) if s.tags[p] == tag and s.word(p).lower() not in _AUXILIARIES]
        if not places or not self.pools[tag]:
            return None
        place = rng.choice(places)
        old, sisters = s.word(place), self._others(self.sisters, s, place)
        new = _like(old, rng.choice(sisters if sisters and rng.random() < 0.6 else self.pools[tag]))
        return s.replaced([(p, p + 1, new) for p in places if s.word(p) == old])

    def number(self, s: Read, rng: random.Random) -> str | None:
        """A number changed."""
        figures = re.compile(r"\d[\d,]*(\.\d+)?")
        places = [p for p in s.places("CD") if figures.fullmatch(s.word(p)) or s.word(p).lower() in _UNITS + _TENS]
        if not places:
            return None
        changes = []
        for p in rng.sample(places, rng.randint(1, min(2, len(places)))):
            word = s.word(p)
            if word[0].isdecimal():
                at = rng.choice([i for i, letter in enumerate(word) if letter.isdecimal()])
                digits = [d for d in "123456789" if d != word[at]]
                changes.append((p, p + 1, word[:at] + rng.choice(digits) + word[at + 1 :]))
            else:
                others = [one for one in _UNITS[2:13] + _TENS if one != word.lower()]
                changes.append((p, p + 1, _like(word, rng.choice(others))))
        return s.replaced(changes)

    def tense(self, s: Read, rng: random.Random) -> str | None:
        """What happened made a plan, an attempt, a duty or a thing of another time."""
        p = self._finite(s)
        if p is None or s.tags[p] == "MD" or s.word(p).lower() in _AUXILIARIES or s.tags[p + 1 : p + 2] == ["RB"]:
            return None
        lemma = base_form(s.word(p), s.tags[p])
        return lemma and s.replaced([(p, p + 1, f"{rng.choice(_PLANS)} {lemma}")])

    KEPT = tuple(
        "synonym synonym synonym phrase clause clause coordination passive passive form form wrapped opposite_denied "
        "opposite_denied".split()
    )
    """Edits that keep the meaning; one that stands twice is tried twice as often."""
    DAMAGES = {
        "negation": ("negation",) * 2,
        "antonym": ("opposite", "opposite", "turned"),
        "roles": ("roles",) * 3,
        "entity and word": ("word", "word", "word", "pronoun"),
        "number": ("number",) * 3,
        "tense": ("tense",) * 2,
        "connective, certainty, quantity": ("otherwise",) * 3,
        "scope": ("scope",) * 2,
    }
    """Edits that damage it, by kind."""

    def kept(self, s: Read, rng: random.Random) -> str | None:
        """The sentence after one to three edits that keep its meaning."""
        text = None
        for _ in range(rng.randint(1, 3)):
            made = self._first(self.KEPT, s, rng)
            if made and made != s.text:
                text, s = made, self.read_again(made)
        return text

    def damaged(self, s: Read, rng: random.Random) -> tuple[str, str] | None:
        """The sentence after one edit that changes its meaning, and the kind of edit."""
        kinds = [kind for kind, names in self.DAMAGES.items() for _ in names]
        rng.shuffle(kinds)
        for kind in kinds:
            text = self._first(self.DAMAGES[kind], s, rng)
            if text and normalized(text) != normalized(s.text):
                return text, kind
        return None

    def parts(self, s: Read, rng: random.Random, other: Read) -> tuple[str, float, str] | None:
        """Words dropped or shuffled, or words of another sentence added; the share of words; which of the three."""
        count = len(s.spans)
        if count < 5:
            return None
        kind = rng.choice(("dropped", "dropped", "added", "added", "shuffled"))
        length = rng.randint(1, max(1, count // 2 if kind != "dropped" else 3 * count // 4))
        start = rng.choice((0, count - length, rng.randint(0, count - length)))
        if kind == "dropped":
            end = [(count - 1, count, s.word(count - 1))] if s.tags[-1] == "." and start + length < count else []
            return s.replaced([(start, start + length, ""), *end]).strip(), length / count, kind
        if kind == "shuffled":
            places = list(range(count - 1))
            chosen = sorted(rng.sample(places, max(2, int(len(places) * rng.uniform(0.3, 1)))))
            order = chosen[1:] + chosen[:1] if len(chosen) < 4 else rng.sample(chosen, len(chosen))
            return s.replaced([(a, a + 1, s.word(b)) for a, b in zip(chosen, order)]), 1.0, kind
        if rng.random() < 0.4:
            places = s.places("NN")
            if not places or not self.pools["NN"]:
                return None
            p = rng.choice(places)
            return s.replaced([(p, p + 1, f"{s.word(p)} and {rng.choice(self.pools['NN'])}")]), 2 / count, kind
        first = rng.randint(0, max(0, len(other.spans) - length))
        added = other.text[other.spans[first][0] : other.spans[min(len(other.spans), first + length) - 1][1]]
        place = rng.choice((count - 1, rng.randint(0, count - 1)))
        return s.replaced([(place, place, added + " ")]), length / count, kind

    def read_again(self, text: str) -> Read:
        """One sentence with its tags, without its words joining the pools."""
        return _tagged([text])[0]

    def _first(self, names: Sequence[str], s: Read, rng: random.Random) -> str | None:
        """The result of the first edit, in random order, that this sentence allows."""
        for name in rng.sample(names, len(names)):
            edit: Callable = getattr(self, name)
            if (text := edit(s, rng)) and text != s.text:
                return text
        return None
