"""What `scrub-text` finds by rules alone in generated notes with known answers.

Run: python benches/free_text.py [--notes 1000] [--seed 1]

Notes are made of sentences with gaps, which Faker fills with names, dates, numbers, places and
contacts of the language. A mention is found where all of its characters are replaced. Printed for
each language: recall of each kind, precision (the share of what was replaced that touches a
mention), with and without the table's own columns of names and cities, and the time of a note.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter

import faker

from kanonym.actions.free_text.rules import Mention, NameWords, find_by_rules, merge_mentions

LOCALES = {"en": "en_US", "es": "es_ES", "de": "de_DE"}
SENTENCES = {
    "en": [
        "{titled} was admitted on {date} with chest pain and shortness of breath.",
        "Spoke to {name} by phone ({phone}); she agrees to surgery.",
        "The patient lives in {city} with two children and works as a teacher.",
        "Address: {street}. Record number {number}.",
        "Blood pressure 120/80, weight 71 kg, metformin 500 mg twice daily.",
        "{surname} reports no improvement since the last visit.",
        "Please send results to {email} before {date}.",
        "Discharged in good health, next visit in 6 weeks.",
        "Her brother {name} will collect her tomorrow.",
        "Referred by {titled}, Department of Cardiology.",
        "{small} asked for a new long dressing and will rest.",
    ],
    "es": [
        "{titled} ingresó el {date} con dolor torácico y disnea.",
        "Se habló con {name} por teléfono ({phone}); acepta la operación.",
        "La paciente vive en {city} con dos hijos y trabaja de maestra.",
        "Domicilio: {street}. Historia clínica {number}.",
        "Presión arterial 120/80, peso 71 kg, metformina 500 mg dos veces al día.",
        "{surname} no refiere mejoría desde la última visita.",
        "Enviar resultados a {email} antes del {date}.",
        "Alta en buen estado, próxima visita en 6 semanas.",
        "Su hermano {name} la recogerá mañana.",
        "Remitida por {titled}, Servicio de Cardiología.",
        "{small} pide una cura nueva y reposo largo en la sala.",
    ],
    "de": [
        "{titled} wurde am {date} mit Brustschmerzen und Atemnot aufgenommen.",
        "Telefonat mit {name} ({phone}); stimmt der Operation zu.",
        "Die Patientin wohnt in {city} mit zwei Kindern und arbeitet als Lehrerin.",
        "Anschrift: {street}. Fallnummer {number}.",
        "Blutdruck 120/80, Gewicht 71 kg, Metformin 500 mg zweimal täglich.",
        "{surname} berichtet keine Besserung seit dem letzten Besuch.",
        "Befunde bitte an {email} bis zum {date} senden.",
        "Entlassung in gutem Zustand, nächster Termin in 6 Wochen.",
        "Ihr Bruder {name} holt sie morgen ab.",
        "Überwiesen von {titled}, Klinik für Kardiologie.",
        "{small} möchte einen neuen langen Verband und etwas Ruhe.",
    ],
}
TITLES = {"en": ["Dr", "Mrs", "Mr."], "es": ["Dr.", "Sra.", "Don"], "de": ["Dr.", "Frau", "Herr"]}
DATES = {
    "en": ["%m/%d/%Y", "%B %d, %Y", "%d %b %Y", "%Y-%m-%d"],
    "es": ["%d/%m/%Y", "%d de {month} de %Y", "%d-%m-%y"],
    "de": ["%d.%m.%Y", "%d. {month} %Y", "%d.%m.%y"],
}
NAMED = {"name", "titled name", "surname alone", "surname in small letters", "city"}
MONTHS = {
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}


def filling(kind: str, language: str, fake: faker.Faker, draw: random.Random) -> tuple[str, str]:
    """Return a text for a gap, and the kind of identifier that it is."""
    match kind:
        case "name":
            return f"{fake.first_name()} {fake.last_name()}", "name"
        case "titled":
            return fake.last_name(), "titled name"
        case "surname":
            return fake.last_name(), "surname alone"
        case "small":
            return fake.last_name().lower(), "surname in small letters"
        case "date":
            day = fake.date_object()
            form = draw.choice(DATES[language])
            month = MONTHS[language].split()[day.month - 1] if language in MONTHS else ""
            return day.strftime(form).replace("{month}", month), "date"
        case "phone":
            return fake.phone_number(), "phone"
        case "city":
            return fake.city(), "city"
        case "street":
            return fake.street_address().replace("\n", ", "), "street"
        case "email":
            return fake.email(), "email"
        case _:
            return str(draw.randint(10**6, 10**9)), "number"


def note(
    language: str, fake: faker.Faker, draw: random.Random
) -> tuple[str, list[tuple[int, int, str]]]:
    """Return a note of five sentences, and where its identifiers are."""
    text, answers = "", []
    for sentence in draw.sample(SENTENCES[language], 5):
        rest = sentence
        while "{" in rest:
            before, _, rest = rest.partition("{")
            kind, _, rest = rest.partition("}")
            if kind == "titled":
                before += draw.choice(TITLES[language]) + " "
            text += before
            filled, known = filling(kind, language, fake, draw)
            answers.append((len(text), len(text) + len(filled), known))
            text += filled
        text += rest + " "
    return text, answers


def measure(language: str, notes: int, seed: int, *, table: bool) -> None:
    """Print recall by kind, precision and time of one language.

    table: whether names and cities of all notes are also known from columns of the table.
    """
    fake = faker.Faker(LOCALES[language])
    fake.seed_instance(seed)
    draw = random.Random(seed)  # noqa: S311 - generated notes, no secret
    made = [note(language, fake, draw) for _ in range(notes)]
    found, asked, right, marked = Counter(), Counter(), 0, 0
    names = [text[a:b] for text, answers in made for a, b, kind in answers if kind in NAMED]
    known = NameWords.of_table(names if table else [], [text for text, _ in made])
    start = time.perf_counter()
    for text, answers in made:
        words = [Mention(*place, "name") for place in known.places(text)]
        mentions = merge_mentions([*find_by_rules(text, language), *words])
        hidden = {place for one in mentions for place in range(one.start, one.end)}
        for a, b, kind in answers:
            asked[kind] += 1
            found[kind] += all(i in hidden or not text[i].isalnum() for i in range(a, b))
        marked += len(mentions)
        right += sum(any(a < m.end and m.start < b for a, b, _ in answers) for m in mentions)
    seconds = time.perf_counter() - start
    name = f"{language}{', with columns' if table else ''}"
    recall = ", ".join(f"{kind} {found[kind] / asked[kind]:.0%}" for kind in sorted(asked))
    total = sum(found.values()) / sum(asked.values())
    print(f"{name:18} recall {total:.1%} ({recall}); precision {right / marked:.1%}; ", end="")
    print(f"{seconds / notes * 1e6:.0f} µs a note")


def main() -> None:
    """Measure all languages."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--notes", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    for language in LOCALES:
        for table in (False, True):
            measure(language, given.notes, given.seed, table=table)


if __name__ == "__main__":
    main()
