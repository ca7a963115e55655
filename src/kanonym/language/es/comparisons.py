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
        "Tome {release}, el codo de la frontera. {way}. Hasta el codo, el {paid} de la pérdida "
        "compra el {gained} de la privacidad, contada en duplicaciones; más allá, el "
        "{further_paid} compra el {further}."
    ),
    "take.only": (
        "Tome {release}: ninguna otra publicación es más privada, y ninguna igual de privada es "
        "más útil."
    ),
    "take.no-knee": (
        "La frontera no tiene codo. {way}; {why}. Tome la primera publicación de la frontera que "
        "sea lo bastante privada."
    ),
    "take.two": "dos publicaciones no tienen codo",
    "take.straight": (
        "en el camino, cada duplicación de la privacidad cuesta más o menos lo mismo que la "
        "anterior, o menos"
    ),
    "take.not-measured": (
        "Ninguna publicación tiene a la vez {privacy} y {measure}: no hay con qué elegir. Use otra "
        "medida."
    ),
    "take.none": "Ninguna combinación dio una publicación: no hay nada que elegir.",
    "take.useless": (
        "No se puede recomendar ninguna publicación: según {measure}, ninguna es más útil que "
        "adivinar sin ella. Exija menos privacidad o publique otras columnas."
    ),
    "axis.useful": "{name} ({better})",
    "comparison.title": "Comparación de publicaciones",
    "comparison.this": "recomendada",
    "comparison.taken": "{label} (recomendada)",
    "comparison.caption": (
        "Cada punto es una publicación verificada de la misma tabla; las líneas grises unen las "
        "que solo difieren en umbrales. La línea azul es la frontera: ninguna otra publicación es "
        "al menos igual de privada y pierde menos. Un círculo marca la recomendada."
    ),
    "comparison.frontier": "La frontera",
    "comparison.order": "De la publicación menos privada a la más privada.",
    "comparison.refused": "Sin publicación",
    "comparison.combinations": "combinaciones",
    "comparison.dots": "publicación; las líneas unen umbrales",
    "comparison.front": "frontera de Pareto: ninguna es mejor en ambas",
    "alt.comparison": (
        "Gráfico de {runs} por {privacy} y {measure}; la tabla de abajo nombra las de la frontera."
    ),
    "lattice.title": "Privacidad y pérdida en el retículo",
    "lattice.nodes": (
        "{nodes} evaluados: maneras de elegir un nivel de generalización para cada uno de {names}. "
        "{satisfied} de ellos cumplen la política."
    ),
    "lattice.caption": (
        "Cada punto es un nodo. La línea une los que ningún otro supera a la vez en privacidad y "
        "en pérdida; una búsqueda elige el de menor pérdida. La línea discontinua es el requisito "
        "de la política: {required}."
    ),
    "lattice.front": "El frente de Pareto",
    "lattice.order": (
        "De la menor pérdida a la mayor privacidad. Los niveles más altos son más generales; el "
        "nivel 0 deja el valor como está."
    ),
    "lattice.first": "Se muestran los primeros {shown} de {all}.",
    "lattice.fails": "no cumple la política",
    "lattice.holds": "la cumple",
    "lattice.best": "frente de Pareto: ninguno es mejor en ambas",
    "lattice.chosen": "elegido",
    "lattice.achieved": "{model} alcanzada",
    "lattice.of": "{model} de {attribute}",
    "lattice.loss": "pérdida",
}
