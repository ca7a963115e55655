"""Rules that find names, numbers and addresses in free text."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple, Self

Kind = Literal["contact", "date", "name", "number", "place"]


class Mention(NamedTuple):
    """A part of a text that identifies somebody."""

    start: int
    end: int
    kind: Kind
    replacement: str | None = None


def merge_mentions(found: Iterable[Mention]) -> list[Mention]:
    """Return mentions that do not overlap, in the order of the text.

    Those that overlap become one, which covers them all: it has kind and replacement of the one
    that came first in `found`.
    """
    ranked = sorted(enumerate(found), key=lambda one: (one[1].start, one[0]))
    merged: list[tuple[int, Mention]] = []
    for rank, mention in ranked:
        if not merged or mention.start >= merged[-1][1].end:
            merged.append((rank, mention))
            continue
        first, last = merged[-1]
        best = last if first < rank else mention
        widest = best._replace(start=last.start, end=max(last.end, mention.end))
        merged[-1] = (min(first, rank), widest)
    return [one for _, one in merged]


_NAMES = """
aaron abdul abdullah abigail adam adrian agnieszka ahmed ahmet aino aisha akira alain alan alba
albert alberto alejandro aleksandra alena alessandra alessandro alessio alexander alexei alexis
alfie alfonso ali alice alois alvaro amanda amara amber amina amit amy ana anastasia anders
andre andrea andreas andrei andres andrew andrzej angela angelika angelo anh anil anita anja
anjali anke ann anna anne-marie annemarie annette anthony antoine anton antonella antonia
antonietta antonio antti archie arjun armando armin arno arthur artur ashley astrid aurelie
austin ava axel aylin ayse barbara bas beata beatrice beatriz ben benjamin benoit bernard bernd
bettina betty beverly bilal billy birgit birgitta bjorn bobby boris bram brandon brenda brian
brigitte brittany bruce bruna bruno bryan burak caio camila camille carl carla carlo carlos
carmen carol carolina carolyn catarina caterina catherine cecilia celine cem chantal charles
charlotte chen cheryl chiara chioma chloe christa christian christina christine christopher
clara claude claudia claudio concepcion cornelia cornelis cristina cynthia daan damian daniel
daniela danielle daria dario dariusz david davide deborah debra deepa denise deniz dennis derya
detlef diana diane diego dieter dilek dimitris dirk dmitri dolores domenico donald donatella
donna doris dorota dorothy douglas dragan dylan eberhard ebru edith edoardo eduardo edward egon
ekaterina elena eleni elfriede elif elijah elio elisa elizabeth elke ella elodie elsa elzbieta
emanuele emil emilia emilie emilio emily emine emma emmanuel emre encarnacion enrico enrique
enzo eric erik erika erkan erna ernst erwin esra esther ethan etienne ettore eugene eugenio eva
evelyn evie ewa fabio fabrizio fang fatima fatma federica federico felipe felix femke ferenc
fernanda fernando filip filipe filippo finn fiona fleur florian franca frances francesca
francesco francisca francisco franco francois francoise frank franz freddie frederic freja freya
frieda fritz gabor gabriel gabriela gabriele galina gary georg george gerald gerard gerhard
gerrit gertrud giacomo gianluca gianni gilbert gino gioia giorgia giorgos giovanni gisela giulia
giuliana giuliano giulio giuseppe gloria gokhan goran gottfried grace graham graziella gregory
greta grzegorz guillaume gul gulsen gunter gustav gustavo guy hakan halina hana hanna hannah
hanne hans hans-jurgen hans-peter hao harold harry hartmut haruto hasan hassan hatice heather
heike heinrich heinz helen helga helmut hendrik henk henri henry hermann hildegard hiroshi
holger horst hubert hugo hui hulya huseyin hussein ian ibrahim ida ignacio igor ilaria ilona
ilse ines inger ingo ingrid ion irena irene irina irmgard isabel isabella isabelle ismail istvan
ivan ivana ivo iwona jacek jack jacob jacqueline jacques jade jaime jakub james jan jana janet
janice jaroslav jason javier jean jean-pierre jeanne jeffrey jelena jennifer jens jeremy jeroen
jerry jerzy jesse jessica jesus jing jiri joan joana joanna joao joaquin jochen joe johan
johanna johannes john johnny jonas jonathan jordan jorg jorge jose josef josefa joseph josephine
joshua joyce jozsef juan judith judy juhani jukka julia juliana julie julien juliette jun jurgen
justin jutta kacper kamil karen kari karim karin karl karl-heinz karolina katalin katarzyna
katerina katharina katherine kathleen kathryn katrin kavita kayla kees keiko keith kelly kemal
kenji kenneth kerstin kevin khadija khaled kimberly kirsten klaus knut kofi konrad kostas
kristina krystyna krzysztof kumar kurt kwame kyle lakshmi lara larissa larry lars laszlo laura
lauren laurent lawrence layla lea leandro lei lena lenka leo leon leonardo leonie leticia levi
leyla liam lidia lieke liliana lily lina linda linh lisa lise liv logan loredana lorenzo lori
lothar lotte louis louise luc luca lucas lucia luciana luciano lucy ludmila ludwig luigi luis
luisa lukas lukasz maarten maciej madison mads magda magdalena magnus mahmoud maja malgorzata
manfred manon manuel marcel marcella marcello marcelo marcin marco margaret margaux margherita
margot maria mariam mariana marie marie-claire marieke marija marilyn mario marion mariusz mark
marko markus marta martha martin martina martine mary mason massimiliano massimo mateusz mathieu
matilde matteo matthew matthias matti maurizio max maximilian megan mehmet melanie melissa
mercedes meryem mette mia michael michal michel michela michele michelle miguel mihai mikael
mikhail mikko mila milan milos ming minh mirko mohamed mohammed monika monique montserrat moritz
muhammad murat mustafa nadia nadine nancy naoko natalia natalie nathalie nathan neha neil ngozi
nguyen nicholas nicola nicolas nicole nicoletta niels nikola nikolai nikos nils noa noah nomsa
noor norbert nuno nurten oksana olaf olav ole oleg olga oliver olivia olivier oliwia oluwaseun
omar onur orhan ornella oskar osman otto ozlem pablo paivi pamela paola paolo pascal patricia
patrick patrizia paul paula paulo pavel pawel pedro pekka peter petr petra philip philipp
philippe piero pierre piet pieter pietro pilar piotr pooja poppy priya rachel rafael rafal
raffaele raffaella rahul rainer raj rajesh ralf ralph ramesh ramon randy raquel rashid raul ravi
raymond rebecca reinhard renata renate renato rene ricardo riccardo richard rita ritva robert
roberto rocio rodrigo roger rohan rolf ronald rosa rossella roswitha roy ruben ruby rudolf rui
russell ruth ryan sabine sabrina sakura salvador salvatore samantha samir samuel sander sandra
sandrine sanjay sanne santiago sara sarah sari saskia scott sean sebastian selma sem serena
sergei sergio serkan sevgi sharon shirley sibel siegfried sigrid silke silvana silvia silvio
simon simona simone sipho sofia songul sonja sophia sophie soren stanislaw stefan stefania
stefanie stefano stephanie stephen steven stuart sunil sunita suresh susan susanne sven svetlana
sylvain sylvie sylwia szymon tadeusz takashi tanja tariq tatiana teresa terry thabo theo theodor
theodore theresa thi thiago thierry thijs thomas tiago tim timo timothy tina tobias tom tomas
tomasz tommaso torsten tuula tyler ufuk ugo ulla ulrich umberto ursula urszula uwe vaclav
valentin valentina valerie valerio vera veronique vicente victor victoria vijay viktor viktoria
vincent vincenzo virginia virginie vitor vittoria vittorio viviana vladimir volkan volker walter
wayne wei werner weronika wilhelmina willem william willie wojciech wolfgang wouter xin yan yang
yannis yasmin yoko youssef yuki yuri yusuf yves yvonne zachary zainab zbigniew zdenek zeynep zoe
zofia zoltan zoran zuzanna
"""

GIVEN_NAMES = frozenset(_NAMES.split())


LANGUAGES = ("en", "es", "de")

_CAPITALIZED = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+(?:[-'’][A-ZÀ-ÖØ-Þ]?[a-zß-öø-ÿ]+)?"
_PARTICLE = r"(?:von|van|der|den|zu|de|del|de la|de los|la|di|da|dos|y|al|el)"
_SURNAMES = rf"(?:[ ](?:{_PARTICLE}[ ]){{0,2}}(?:{_CAPITALIZED}|[A-Z]\.)){{0,3}}"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0?[1-9]|1[0-2])"

_CONTACTS = (
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    r"(?:https?://|www\.)[^\s<>\"']+",
    r"(?<!\w)@[A-Za-z]\w{2,}",
    r"\b(?:\d{1,3}\.){3}\d{1,3}\b",
    r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?\b",  # IBAN
    r"(?<![\w+])\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){2,6}(?!\w)",
    r"(?<!\w)\(?0\d{1,5}\)?(?:[ ./-]?\d{2,5}){1,4}(?!\w)",
    r"(?<![\w+])(?:\+?\d{1,3}[ .-])?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{3,4}(?:[ ]?x\d{1,6})?(?!\w)",
    r"(?<!\w)[6-9]\d{2}(?:[ ]?\d{2,3}){2,3}(?!\w)",
)
_NUMBERS = (
    r"\b\d+(?:[-/.]\d+)*[-/]?\d{4,}\b",
    r"\b(?:[A-Z]{1,4}[-/]?)\d{4,}(?:[-/]?[A-Z0-9]+)*\b",
    r"\b\d{7,8}[- ]?[A-Z]\b",
    r"\b\d{3}-\d{2}-\d{4}\b",
)
_NUMERIC_DATES = (
    rf"\b(?:19|20)\d\d[-/.]{_MONTH}[-/.]{_DAY}\b",
    rf"\b{_DAY}[-/.][ ]?{_MONTH}[-/.][ ]?(?:(?:19|20)?\d\d)\b",
    rf"\b{_MONTH}/{_DAY}/(?:(?:19|20)?\d\d)\b",
    rf"\b{_DAY}\.[ ]?{_MONTH}\.(?!\d)",
)


class _Words(NamedTuple):
    """What a language writes of persons, dates and places."""

    titles: str
    months: str
    dates: tuple[str, ...]
    places: tuple[str, ...]


_ENGLISH_MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_SPANISH_MONTHS = (
    r"(?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|"
    r"diciembre)"
)
_GERMAN_MONTHS = (
    r"(?:Jan(?:uar)?|Jänner|Feb(?:ruar)?|März|Apr(?:il)?|Mai|Juni?|Juli?|Aug(?:ust)?|"
    r"Sep(?:t|tember)?|Okt(?:ober)?|Nov(?:ember)?|Dez(?:ember)?)\.?"
)
_WORDS = {
    "en": _Words(
        r"(?:Dr|Mr|Mrs|Ms|Miss|Prof|Professor|Doctor|Nurse|Sir|Rev)\.?",
        _ENGLISH_MONTHS,
        (
            rf"\b{_ENGLISH_MONTHS}[ ]{_DAY}(?:st|nd|rd|th)?(?:,?[ ](?:19|20)\d\d)?\b",
            rf"\b{_DAY}(?:st|nd|rd|th)?(?:[ ]of)?[ ]{_ENGLISH_MONTHS}(?:,?[ ](?:19|20)\d\d)?\b",
            rf"\b{_ENGLISH_MONTHS}[ ](?:19|20)\d\d\b",
        ),
        (
            (
                rf"\b\d{{1,5}}[a-z]?(?:[ ]{_CAPITALIZED}){{2,4}}"
                r"(?:[., ]{1,2}(?:Suite|Apt|Apartment|Unit|Flat)?[., ]{0,2}\d{1,5}[A-Z]?\b)?"
            ),
            (
                rf"\b(?i:lives?|living|lived|born|resides?|residing|moved|travels?|transferred)[ ]"
                rf"(?:in|to|from|at)[ ]({_CAPITALIZED}(?:[ ]{_CAPITALIZED}){{0,2}})"
            ),
            (
                rf"\b(?i:comes?|came|is|native)[ ](?:from|of)[ ]"
                rf"({_CAPITALIZED}(?:[ ]{_CAPITALIZED}){{0,2}})"
            ),
            rf"\b{_CAPITALIZED}(?:[ ]{_CAPITALIZED})?,[ ][A-Z]{{2}}[ ]\d{{5}}(?:-\d{{4}})?\b",
            r"\b[A-Z]{1,2}\d[A-Z\d]?[ ]\d[A-Z]{2}\b",
        ),
    ),
    "es": _Words(
        r"(?:Dra?|Sra?|Srta|D|Dña|Don|Doña|Señora?|Doctora?|Profesora?|Enfermer[oa])\.?",
        _SPANISH_MONTHS,
        (
            rf"\b{_DAY}[ ]de[ ]{_SPANISH_MONTHS}(?:[ ]del?[ ](?:19|20)\d\d)?\b",
            rf"\b{_SPANISH_MONTHS}[ ](?:de[ ])?(?:19|20)\d\d\b",
        ),
        (
            (
                rf"\b(?:[Cc]alle|C/|C\.|[Aa]venida|Avda\.?|[Pp]laza|[Pp]aseo|[Cc]amino|[Rr]onda|[Cc]arrer|"
                r"[Cc]allejón|[Pp]asaje|[Vv]ía|[Vv]ial?|[Uu]rbanización|[Gg]lorieta|[Rr]ambla|[Aa]lameda|"
                r"[Cc]uesta|[Cc]añada|[Aa]cceso|[Pp]asadizo|[Cc]arretera|[Tt]ravesía)"
                rf"[ ](?:(?:de|del|la|las|los|el)[ ]){{0,2}}{_CAPITALIZED}(?:[ ](?:de[ ])?"
                rf"{_CAPITALIZED}){{0,2}}(?:,?[ ](?:n\.?º[ ]?)?\d{{1,4}})?"
                r"(?:[ ](?:[Pp]iso|[Pp]uerta|[Aa]pt\.?)[ ]\d{1,3})?"
            ),
            (
                rf"\b(?i:vive|vivía|reside|residente|nacid[oa]|natural|procedente|traslad\w+)[ ]"
                rf"(?:en|de|a|desde)[ ]({_CAPITALIZED}(?:[ ](?:(?:de|del|la|las|los)[ ])?"
                rf"{_CAPITALIZED}){{0,2}})"
            ),
            rf"\b\d{{5}}[ ]{_CAPITALIZED}\b",
        ),
    ),
    "de": _Words(
        r"(?:Dr|Prof|Herrn?|Frau|Hr|Fr|Schwester|Pfleger|Doktor|Professor)\.?"
        r"(?:[ ](?:Dr|Prof|med)\.)*",
        _GERMAN_MONTHS,
        (
            rf"\b{_DAY}\.[ ]?{_GERMAN_MONTHS}(?:[ ](?:19|20)\d\d)?\b",
            rf"\b{_GERMAN_MONTHS}[ ](?:19|20)\d\d\b",
        ),
        (
            (
                r"\b[A-ZÄÖÜ][A-Za-zÄÖÜäöüß-]*(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|[Ww]eg|[Pp]latz|[Aa]llee|"
                r"[Gg]asse|[Uu]fer|[Rr]ing|[Dd]amm)(?:[ ]\d{1,4}(?:/\d{1,3})?[a-z]?)?"
            ),
            (
                r"\b(?:[A-ZÄÖÜ][a-zäöüß]+(?:er|es|e)?[ ])(?:Straße|Weg|Platz|Allee|Gasse|Ufer|Ring)"
                r"[ ]\d{1,4}[a-z]?"
            ),
            (
                rf"\b(?i:wohnt|wohnhaft|lebt|geboren|verlegt|gezogen|stammt|kommt)[ ]"
                rf"(?:in|aus|nach)[ ]({_CAPITALIZED}(?:[ ](?:an[ ]der|am)[ ]{_CAPITALIZED})?)"
            ),
            rf"\b\d{{5}}[ ]{_CAPITALIZED}\b",
        ),
    ),
}


def find_by_rules(text: str, language: str) -> Iterator[Mention]:
    """Yield what the rules of a language find in a text, the surest first; they may overlap.

    language: one of `LANGUAGES`. Cost about 0.7 ms for a note of 50 words.
    """
    for kind, pattern in _patterns(language):
        for match in pattern.finditer(text):
            group = 1 if pattern.groups and match.group(1) else 0
            yield Mention(*match.span(group), kind)
    yield from _given_names(text)
    if language != "de":  # in German, every noun has a capital letter
        for match in _PROPER.finditer(text):
            yield Mention(*match.span(1), "name")


def words_of(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the words of a text: folded (no case, no accents), where they start and end."""
    for match in _WORD.finditer(text):
        yield fold(match.group()), *match.span()


def fold(text: str) -> str:
    """Return a text in small letters without accents, so that spellings of a name compare."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in bare if not unicodedata.combining(letter))


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_NAME = re.compile(rf"\b{_CAPITALIZED}")
_PROPER = re.compile(
    rf"(?<=[a-zß-öø-ÿ,;(][ ])({_CAPITALIZED}{_SURNAMES.replace('{0,3}', '{1,3}')})"
)
"""Two or more words with capital letters within a sentence."""
_REST = re.compile(_SURNAMES)


def _given_names(text: str) -> Iterator[Mention]:
    """Yield common given names, with the capitalized words that follow."""
    for match in _NAME.finditer(text):
        parts = fold(match.group()).split("-")
        if not GIVEN_NAMES.isdisjoint(("-".join(parts), parts[0])):
            rest = _REST.match(text, match.end())
            yield Mention(match.start(), rest.end() if rest else match.end(), "name")


@lru_cache
def _patterns(language: str) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    words = _WORDS[language]
    titled = rf"\b{words.titles}[ ]({_CAPITALIZED}{_SURNAMES})"
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("contact", _CONTACTS[:5]),
        ("date", (*_NUMERIC_DATES, *words.dates)),
        ("contact", _CONTACTS[5:]),
        ("place", words.places),
        ("number", _NUMBERS),
        ("name", (titled,)),
    )
    return tuple((kind, re.compile(one)) for kind, several in kinds for one in several)


LEAST_LETTERS = 3
"""Shorter words of others' names, such as de, are no name by themselves."""

LEAST_OWN = 2
"""Letters of a word of the record's own values, with a capital letter: Wu, Li."""

MANY_TEXTS = 5
MANY_SHARE = 0.02
"""A word in small letters in more texts than this, and this share of them, is an ordinary word."""

_PARTICLES = """
von van der den des dem das die zum zur und del las los dos the and for bin ibn san sao
"""
_ORDINARY = """
will may can new old north south east west upper lower great little port lake
bad neu alt nueva nuevo villa una uno con por para que era son
"""
PARTICLES = frozenset(_PARTICLES.split())
"""Folded words that are no name by themselves."""

ORDINARY = frozenset(_ORDINARY.split())
"""Folded words that are no name in small letters."""

_JOINT = re.compile(r"[-'’]")
_SMALL = re.compile(r"(?<![\w])[^\W\d_A-Z]+(?![\w])")


class NameWords(NamedTuple):
    """Folded words of names.

    words: those found with a capital letter. small: those found in small letters, too.
    """

    words: frozenset[str]
    small: frozenset[str]

    @classmethod
    def of_record(cls, value: str) -> Self:
        """Return the words of a value, for the record's own text."""
        words = _words_of_values([value], LEAST_OWN)
        return cls(
            words, frozenset(word for word in words if len(word) >= LEAST_LETTERS) - ORDINARY
        )

    @classmethod
    def of_table(cls, values: Iterable[str], texts: Iterable[str]) -> Self:
        """Return the words of all values, for all texts; what many texts have is ordinary."""
        words = _words_of_values(values, LEAST_LETTERS)
        return cls(words, words - ORDINARY - _frequent_words(texts)) if words else cls(words, words)

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where one or more of the words stand side by side in a text."""
        if not self.words:
            return
        begun: tuple[int, int] | None = None
        for word, start, end in words_of(text):
            if not self._has(word, text[start:end]):
                continue
            if begun and text[begun[1] : start].strip(" ,") == "":
                begun = begun[0], end
                continue
            if begun:
                yield begun
            begun = start, end
        if begun:
            yield begun

    def _has(self, word: str, written: str) -> bool:
        """Whether a word of a text, or a part of it, is one of these; in a genitive, too.

        word: `written`, folded.
        """
        if self._is_one(word, written):
            return True
        parts = _JOINT.split(written)
        if len(parts) == 1:
            return False
        joined = "-" in written  # x-ray is no Ray
        return any(
            self._is_one(fold(part), part) for part in parts if not (joined and part[0].islower())
        )

    def _is_one(self, word: str, written: str) -> bool:
        if written[0].islower():
            return word in self.small
        genitive = word[:-1] if word.endswith("s") and len(word) > LEAST_LETTERS else word
        return word in self.words or genitive in self.words


def _words_of_values(values: Iterable[str], least: int) -> frozenset[str]:
    """Return the folded words of values, and the parts of joined ones."""
    return frozenset(
        part
        for value in values
        for word, _, _ in words_of(value)
        for part in (word, *_JOINT.split(word))
        if len(part) >= least and part not in PARTICLES
    )


def _frequent_words(texts: Iterable[str]) -> frozenset[str]:
    """Return the folded words that stand in many texts in small letters."""
    counts: Counter[str] = Counter()
    n = 0
    for text in texts:
        n += 1
        counts.update(set(_SMALL.findall(text)))
    least = max(MANY_TEXTS, MANY_SHARE * n)
    return frozenset(fold(word) for word, count in counts.items() if count > least)
