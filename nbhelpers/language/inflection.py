"""Inflected forms of English words and their lemmas: one set of tables for every study.

`english_lemmas` leads a word back to the words of a dictionary, as WordNet's Morphy does: the dictionary's own list of
exceptions (or the short one here), else detached endings, and only lemmas that the dictionary has. `base_form` needs no
dictionary: it gives the base form of a finite verb by the rules by which English spells ``-s`` and ``-ed``; where they
leave a choice (*visited* from *visit*, *invited* from *invite*) the ending decides, with the exceptions listed.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping

# Lemma, past, and other forms; "-" where the past is regular or the lemma.
_VERBS = """
arise arose arisen/awake awoke awoken/bear bore borne born/beat - beaten/become became/begin began begun/bend bent/bind
bound/bite bit bitten/bleed bled/blow blew blown/break broke broken/breed bred/bring brought/build built/burn burnt/buy
bought/catch caught/choose chose chosen/cling clung/come came/creep crept/deal dealt/die - dying/dig dug/draw drew
drawn/dream dreamt/drink drank drunk/drive drove driven/eat ate eaten/fall fell fallen/feed fed/feel felt/fight fought/
find found/flee fled/fling flung/fly flew flown/forbid forbade forbidden/foresee foresaw foreseen/forget forgot
forgotten/forgive forgave forgiven/freeze froze frozen/get got gotten/give gave given/go went gone goes/grind ground/
grow grew grown/hang hung/hear heard/hide hid hidden/hold held/keep kept/kneel knelt/know knew known/lay laid/lead led/
lean leant/learn learnt/leave left/lend lent/lie lay lain lying/light lit/lose lost/make made/mean meant/meet met/
mistake mistook mistaken/mow - mown/outdo outdid outdone/overcome overcame/overthrow overthrew overthrown/overtake
overtook overtaken/pay paid/plead - pled/prove - proven/rebuild rebuilt/ride rode ridden/ring rang rung/rise rose risen/
run ran/say said/see saw seen/seek sought/sell sold/send sent/sew - sewn/shake shook shaken/shine shone/shoot shot/show
- shown/shrink shrank shrunk/sing sang sung/sink sank sunk/sit sat/sleep slept/slide slid/sling slung/sow - sown/speak
spoke spoken/speed sped/spell spelt/spend spent/spill spilt/spin spun/spit spat/spring sprang sprung/stand stood/steal
stole stolen/stick stuck/sting stung/stink stank stunk/strike struck stricken/strive strove striven/swear swore sworn/
sweep swept/swell - swollen/swim swam swum/swing swung/take took taken/teach taught/tear tore torn/tell told/think
thought/throw threw thrown/tie - tying/undergo underwent undergone/understand understood/undertake undertook undertaken/
undo undid undone/uphold upheld/wake woke woken/wear wore worn/weave wove woven/weep wept/win won/wind wound/withdraw
withdrew withdrawn/withhold withheld/withstand withstood/write wrote written
"""

_NOUNS = """
man men/woman women/child children/person people/foot feet/tooth teeth/goose geese/mouse mice/ox oxen/die dice/knife
knives/life lives/wife wives/midwife midwives/analysis analyses/axis axes/basis bases/crisis crises/diagnosis diagnoses/
emphasis emphases/hypothesis hypotheses/oasis oases/parenthesis parentheses/synthesis syntheses/thesis theses/criterion
criteria/phenomenon phenomena/bacterium bacteria/curriculum curricula/datum data/medium media/memorandum memoranda/
stratum strata/alumnus alumni/cactus cacti/fungus fungi/nucleus nuclei/radius radii/stimulus stimuli/syllabus syllabi/
appendix appendices/index indices/matrix matrices/vertex vertices/formula formulae/larva larvae/corpus corpora/genus
genera
"""

_ADJECTIVES = "good better best/bad worse worst/far farther farthest further furthest/little less least"


def _irregular(table: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for row in table.split("/"):
        lemma, *forms = (form for form in row.split() if form != "-")
        for form in forms:
            found[form] = found.get(form, ()) + (lemma,)
    return found


IRREGULAR: dict[str, dict[str, tuple[str, ...]]] = {
    "n": _irregular(_NOUNS),
    "v": _irregular(_VERBS),
    "a": _irregular(_ADJECTIVES),
    "r": {},
}
"""Common irregular English forms and their lemmas, for dictionaries without an exception list (written for this
project). Auxiliaries are left out: they are function words."""

_ENDINGS = {
    part: tuple(pair.split(">") for pair in pairs.split())
    for part, pairs in {
        "n": "s> ses>s ves>f xes>x zes>z ches>ch shes>sh men>man ies>y oes>o",
        "v": "s> ies>y ied>y es>e es> ed>e ed> ing>e ing>",
        "a": "er> est> er>e est>e ier>y iest>y",
        "r": "",
    }.items()
}
"""Endings of inflected forms and what stands in their place in the lemma: those of Morphy, and the spellings (ied, ier,
oes) for which WordNet has exception lists."""

_DOUBLE_CONSONANTS = tuple(consonant * 2 for consonant in "bdfglmnprtvz")


def detached(word: str, part_of_speech: str) -> tuple[str, ...]:
    """What may be left of a word without its ending: running → runne, runn, run. Not all of it are words."""
    found = []
    for ending, replacement in _ENDINGS[part_of_speech]:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            base = word[: -len(ending)] + replacement
            found.append(base)
            if not replacement and ending != "s" and base.endswith(_DOUBLE_CONSONANTS) and len(base) > 3:
                found.append(base[:-1])
    return tuple(dict.fromkeys(found))


def english_lemmas(
    word: str, part_of_speech: str, known: Container[str], exceptions: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Lemmas of an English word, as WordNet's Morphy finds them.

    Parameters
    ----------
    word : str
        Lower-cased.
    part_of_speech : {"n", "v", "a", "r"}
    known : container of str
        The lemmas of the dictionary; no other is returned.
    exceptions : mapping
        Irregular forms with their lemmas. A word in it is not looked at further, but a word that is a lemma itself
        always counts (``left`` is one, and a form of ``leave``).

    Returns
    -------
    tuple of str
        Without repetition; empty for a word that the dictionary does not have.
    """
    candidates = exceptions.get(word) or detached(word, part_of_speech)
    return tuple(lemma for lemma in dict.fromkeys((word, *candidates)) if lemma in known)


# ------------------------------------------------------------------------------------------------------ finite verbs

# Further pasts, and third persons, that the rules would not find.
_PASTS = """
beat beat  befell befall  beheld behold  beset beset  bet bet  bid bid  bade bid  broadcast broadcast  burst burst
cast cast  cost cost  cut cut  did do  dove dive  dwelt dwell  fit fit  forecast forecast  forwent forgo  had have
hit hit  hurt hurt  input input  leapt leap  let let  mimicked mimic  misled mislead  misunderstood misunderstand
offset offset  outsold outsell  overran overrun  oversaw oversee  panicked panic  picnicked picnic  put put  quit quit
read read  redid redo  remade remake  rent rend  reset reset  retold retell  retook retake  rewrote rewrite  rid rid
set set  shed shed  shut shut  slit slit  slunk slink  smelt smell  snuck sneak  split split  spoilt spoil
spread spread  stunk stink  outshone outshine  strode stride  strung string  thrust thrust  trafficked traffic
trod tread  upset upset  wet wet  wrung wring  eyed eye  dyed dye  hoed hoe  toed toe  untied untie  belied belie
died die  lied lie  tied tie  vied vie  added add  erred err  ebbed ebb  egged egg  purred purr  butted butt
putted putt  boycotted boycott  quizzed quiz  gassed gas  focussed focus  focused focus  biased bias  bused bus
canvased canvas  fuelled fuel  signalled signal  totalled total  rivalled rival  equalled equal  fulfilled fulfil
initialled initial  misspelled misspell  ached ache  cached cache  psyched psyche  guided guide  welcomed welcome
owed owe  awed awe  debuted debut  trialled trial  dialled dial  annulled annul  marshalled marshal  tiptoed tiptoe
"""
_THIRD_PERSONS = """
is be  has have  underlies underlie  unties untie  belies belie  aches ache  caches cache  axes axe  psyches psyche
quizzes quiz  toes toe  hoes hoe  shoes shoe  focuses focus  biases bias  buses bus  gases gas  canvases canvas
"""


def _table(text: str) -> dict[str, str]:
    forms = text.split()
    return dict(zip(forms[::2], forms[1::2], strict=True))


_PAST = {past: lemma for lemma, past, *_ in map(str.split, _VERBS.split("/"))} | _table(_PASTS)
_THIRD = _table(_THIRD_PERSONS)

# Of a past form without -ed, as a whole or its end: whether the base form has a final e, where the rules are wrong.
_WITH_E = frozenset(
    "breath bath cloth sooth loath seeth writh sheath wreath tast wast past hast lambast creat permeat delineat "
    "nauseat complet compet delet deplet secret unit reunit invit excit incit recit ignit extradit expedit postpon "
    "condon dethron inton aton telephon conven interven contraven interfer adher persever rever explor ignor restor "
    "ador deplor implor inhal exhal regal impal elop blasphem spong persuad dissuad typ styl analyz paralyz catalyz "
    "overrul".split()
)
_WITHOUT_E = frozenset(
    "bang clang gang hang twang wing ping ding zing string murmur vacuum pencil pilot pivot ballot combat method "
    "collar sugar bargain ruin orphan ransom program slogan exit profit carol envelop vomit orbit herald coffin "
    "margin cabin stencil council gambol symbol cavil fossil imperil".split()
)

_VOWEL_GROUP = re.compile(r"[aeiouy]+")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
# One vowel and one consonant at the end, no other vowel before them.
_SHORT_END = re.compile(r"(?:^|[^aeiou])([aeiouy])([bcdfgklmnprstvz])$")
# Of such endings in longer verbs, those of base forms without e: visit, target, open, mention, offer, monitor, label,
# signal, develop, gossip, blossom.
_ENDINGS_WITHOUT_E = frozenset("it et en on an er or el al op ip up ep om em".split())
_PAIRS_WITH_E = ("iat", "uat")


def base_form(verb: str, tag: str) -> str | None:
    """Base form of a finite verb, in lower case: *go* for *went*, *try* for *tries*.

    Parameters
    ----------
    verb : str
        One word.
    tag : {"VBD", "VBZ", "VBP", "VB"}
        Its tag of the Penn Treebank: past, third person singular, other present, base form.

    Returns
    -------
    str or None
        None where the word cannot be such a form (a past that neither ends in ``-ed`` nor is known as irregular).
    """
    word = verb.lower()
    if tag == "VBZ":
        return _THIRD.get(word) or _from_third_person(word)
    if tag == "VBD":
        return _PAST.get(word) or _from_past(word)
    return word


def _from_third_person(word: str) -> str | None:
    if not word.endswith("s") or len(word) < 3:
        return None
    if word.endswith("ies"):
        return word[:-1] if len(word) <= 4 else word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "tzes", "oes")):
        return word[:-2]
    return word[:-1]


def _from_past(word: str) -> str | None:
    if not word.endswith("ed") or len(word) < 4:
        return None
    if word.endswith("ied"):
        return word[:-3] + "y"
    if word.endswith(("ued", "eed")):
        return word[:-1]
    stem = word[:-2]
    if stem in _WITHOUT_E:
        return stem
    if stem in _WITH_E or any(len(end) > 4 and stem.endswith(end) for end in _WITH_E):
        return stem + "e"
    if _DOUBLED.search(stem) or (stem.endswith(("ell", "oll")) and len(_VOWEL_GROUP.findall(stem)) > 1):
        return stem[:-1]
    return stem + "e" if _lost_an_e(stem) else stem


def _lost_an_e(stem: str) -> bool:
    """Whether what stands before ``-ed`` is a base form without its final e."""
    last, before = stem[-1], stem[-2]
    if last in "aeiouwxyhjq" or last == before:
        return False
    if last in "vc" or (last in "sz" and before != "t"):
        return True
    if last == "g":
        return before not in "no" or (before == "n" and not stem.endswith("ong"))
    if last == "l" and before not in "aeiouylrw":
        return True
    if last == "r" and before not in "aeiouy":
        return True
    # The u of qu is no vowel: quoted, required.
    ending = _SHORT_END.search(stem.replace("qu", "qq"))
    if ending is None:
        return stem.endswith(_PAIRS_WITH_E)
    is_short = len(_VOWEL_GROUP.findall(stem.replace("qu", "qq"))) == 1
    return is_short or ending.group(1) + ending.group(2) not in _ENDINGS_WITHOUT_E
