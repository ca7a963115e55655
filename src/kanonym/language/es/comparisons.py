"""Comparing releases or nodes of a lattice: pages, charts, and which release to take."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "short.span_loss": "pérdida de rango",
    "short.gcp": "GCP",
    "privacy.k": "clase más pequeña",
    "privacy.persons": "menor número de personas en una clase",
    "privacy.average_risk": "riesgo medio",
    "take.at": "{label} ({privacy} {private}, {measure} {useful})",
    "take.way": "Va de {first} a {last}",
    "take.knee": (
        "Tome {release}: ahí se dobla la frontera. {way}. El tramo hasta el codo aporta {gained} "
        "de la privacidad, contada en duplicaciones, por {paid} de la pérdida; el resto aporta "
        "{further} por {further_paid}."
    ),
    "take.only": (
        "Tome {release}: ninguna otra publicación es más privada, y ninguna igual de privada es "
        "más útil."
    ),
    "take.no-knee": (
        "La frontera no tiene codo. {way}; {why}. Tome la primera publicación de la frontera que "
        "sea lo bastante privada para usted."
    ),
    "take.two": "dos publicaciones no forman un codo",
    "take.straight": (
        "en el camino, cada duplicación de la privacidad cuesta más o menos lo mismo que la "
        "anterior, o menos"
    ),
    "take.not-measured": (
        "Ninguna publicación tiene a la vez {privacy} y {measure}: no hay con qué elegir. Juzgue "
        "con otra medida."
    ),
    "take.none": "Ninguna combinación dio una publicación: no hay nada que elegir.",
    "take.useless": (
        "No se puede recomendar ninguna publicación: según {measure}, ninguna es más útil que "
        "adivinar sin ella. Pida menos privacidad o publique otras columnas."
    ),
    "axis.useful": "{name} ({better})",
    "comparison.title": "Comparación de publicaciones",
    "comparison.this": "tome esta",
    "comparison.taken": "{label} (tome esta)",
    "comparison.caption": (
        "Cada punto es una publicación verificada de la misma tabla; las líneas grises unen las "
        "que solo difieren en umbrales. La línea azul es la frontera: ninguna otra publicación es "
        "al menos igual de privada y pierde menos. Un círculo marca la que conviene tomar."
    ),
    "comparison.frontier": "La frontera",
    "comparison.order": "De la publicación menos privada a la más privada.",
    "comparison.refused": "Sin publicación",
    "comparison.combinations": "combinaciones",
    "comparison.dots": "una publicación; las líneas unen umbrales",
    "comparison.front": "frontera: ninguna la supera en ambas",
    "alt.comparison": (
        "Gráfico de {runs} por {privacy} y {measure}; la tabla de abajo nombra las de la frontera."
    ),
    "lattice.title": "Privacidad y pérdida en el retículo",
    "lattice.nodes": (
        "{nodes} evaluados: maneras de elegir un nivel de generalización para cada uno de {names}. "
        "{satisfied} de ellos cumplen la política."
    ),
    "lattice.caption": (
        "Cada punto es un nodo. La línea une los que ningún otro supera en privacidad y en "
        "pérdida; una búsqueda elige el de menor pérdida. La línea discontinua es lo que exige la "
        "política: {required}."
    ),
    "lattice.front": "El frente",
    "lattice.order": (
        "De la menor pérdida a la mayor privacidad. Los niveles más altos son más generales; el "
        "nivel 0 deja el valor como está."
    ),
    "lattice.first": "Se muestran los primeros {shown} de {all}.",
    "lattice.fails": "no cumple la política",
    "lattice.holds": "la cumple",
    "lattice.best": "frente: ninguno lo supera en ambas",
    "lattice.chosen": "elegido",
    "lattice.achieved": "{model} alcanzada",
    "lattice.of": "{model} de {attribute}",
    "lattice.loss": "pérdida",
}
