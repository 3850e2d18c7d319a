"""Base forms of English verbs in the third person or the past, which a negation with *do* needs.

Made of a table of irregular verbs and of the rules by which English spells ``-s`` and ``-ed``; where the rules leave a
choice (*visited* from *visit*, *invited* from *invite*) the ending of the verb decides, with the exceptions listed.
"""

from __future__ import annotations

import re

_IRREGULAR_PAST = """
arose arise  ate eat  awoke awake  beat beat  became become  befell befall  began begin  beheld behold  bent bend
beset beset  bet bet  bid bid  bade bid  bit bite  bled bleed  blew blow  bore bear  bought buy  bound bind
bred breed  broke break  brought bring  broadcast broadcast  built build  burnt burn  burst burst  came come
cast cast  caught catch  chose choose  clung cling  cost cost  crept creep  cut cut  dealt deal  did do  dove dive
drank drink  dreamt dream  drew draw  drove drive  dug dig  dwelt dwell  fed feed  fell fall  felt feel  fit fit
fled flee  flew fly  flung fling  forbade forbid  forecast forecast  foresaw foresee  forgave forgive  forgot forget
forwent forgo  fought fight  found find  froze freeze  gave give  got get  grew grow  ground grind  had have
heard hear  held hold  hid hide  hit hit  hung hang  hurt hurt  input input  kept keep  knelt kneel  knew know
laid lay  lay lie  leant lean  leapt leap  learnt learn  led lead  left leave  lent lend  let let  lit light
lost lose  made make  meant mean  met meet  mimicked mimic  misled mislead  mistook mistake
misunderstood misunderstand  mowed mow  offset offset  outdid outdo  outsold outsell  overcame overcome
overran overrun  oversaw oversee  overtook overtake  overthrew overthrow  paid pay  panicked panic  picnicked picnic
put put  quit quit  ran run  rang ring  read read  rebuilt rebuild  redid redo  remade remake  rent rend  reset reset
retold retell  retook retake  rewrote rewrite  rid rid  rode ride  rose rise  said say  sang sing  sank sink  sat sit
saw see  sent send  set set  shed shed  shone shine  shook shake  shot shoot  shrank shrink  shut shut  slept sleep
slid slide  slit slit  slung sling  slunk slink  smelt smell  snuck sneak  sold sell  sought seek  sped speed
spelt spell  spent spend  spilt spill  split split  spoilt spoil  spoke speak  spread spread  sprang spring  spun spin
spat spit  stank stink  stunk stink  outshone outshine  stole steal  stood stand  strode stride  strove strive
struck strike  strung string  stuck stick  stung sting  swam swim  swept sweep  swore swear  swung swing  taught teach
thought think  threw throw  thrust thrust  told tell  took take  tore tear  trafficked traffic  trod tread
underwent undergo  understood understand  undertook undertake  undid undo  upheld uphold  upset upset  went go
wept weep  wet wet  withdrew withdraw  withheld withhold  withstood withstand  woke wake  won win  wore wear
wound wind  wove weave  wrote write  wrung wring  eyed eye  dyed dye  hoed hoe  toed toe  untied untie  belied belie
died die  lied lie  tied tie  vied vie  added add  erred err  ebbed ebb  egged egg  purred purr  butted butt
putted putt  boycotted boycott  quizzed quiz  gassed gas  focussed focus  focused focus  biased bias  bused bus
canvased canvas  fuelled fuel  signalled signal  totalled total  rivalled rival  equalled equal  fulfilled fulfil
initialled initial  misspelled misspell  programmed program  kidnapped kidnap  worshipped worship  ached ache
cached cache  psyched psyche  waltzed waltz  guided guide  welcomed welcome  owed owe  awed awe  debuted debut
trialled trial  dialled dial  annulled annul  marshalled marshal  tiptoed tiptoe
"""
_IRREGULAR_THIRD = """
is be  has have  does do  goes go  undergoes undergo  underlies underlie  unties untie  belies belie  aches ache
caches cache  axes axe  psyches psyche  quizzes quiz  toes toe  hoes hoe  shoes shoe  focuses focus  biases bias
buses bus  gases gas  canvases canvas
"""


def _table(text: str) -> dict[str, str]:
    forms = text.split()
    return dict(zip(forms[::2], forms[1::2], strict=True))


_PAST, _THIRD = _table(_IRREGULAR_PAST), _table(_IRREGULAR_THIRD)

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
