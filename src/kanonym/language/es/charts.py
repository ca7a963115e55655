"""Titles, axes and text alternatives of charts, and labels of bars."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "bar.missing": "(sin valor)",
    "bar.all": "todos los valores",
    "bar.or-missing": "{label} o sin valor",
    "chart.sideways": "Desplace el gráfico hacia los lados para verlo entero.",
    "marginals.undrawn": (
        "No se muestra: {label}, {before} de los registros antes y {after} después."
    ),
    "bar.other": "otros ({number} valores)",
    "bar.absent": "no está en el original",
    "bar.under": "menos de {start}",
    "bar.over": "{start} o más",
    "bar.to": "de {start} a {end}",
    "bar.before": "antes de {start}",
    "bar.from": "desde {start}",
    "axis.class-size": "registros en la clase",
    "axis.records": "registros",
    "axis.risk": "probabilidad de reidentificación",
    "axis.at-least": "registros con al menos esta probabilidad",
    "axis.separation": "pares de registros distinguibles",
    "axis.lost": "proporción del rango que se abarca (pérdida de rango)",
    "axis.unnamed": "{name} (demasiadas etiquetas para mostrarlas)",
    "axis.ends": "{title}; el eje termina en {end}",
    "axis.right": "intentos que acertaron",
    "axis.suda": "proporción de todas las contribuciones a las puntuaciones",
    "axis.span-loss": "información perdida (pérdida de rango)",
    "axis.gcp": "información perdida (GCP)",
    "legend.per-class": "registros por clase",
    "legend.rate": "esta publicación, con intervalo",
    "legend.baseline": "referencia",
    "legend.control": "control",
    "axis.private": "{name}: más privado hacia la derecha",
    "legend.run": "publicación",
    "legend.frontier": "frontera de Pareto: ninguna es mejor en ambas",
    "alt.class-sizes": (
        "Gráfico de barras del tamaño de las clases: {classes}, de {smallest} a {largest} "
        "registros, la mitad de ellas de como máximo {median}."
    ),
    "alt.losses": (
        "Gráfico de barras de la pérdida por atributo: {most} la mayor, {much}; {least} la menor, "
        "{little}."
    ),
    "alt.marginal": (
        "Gráfico de barras de «{name}» antes y después: {bars}; la mayor diferencia está en "
        "«{label}», {before} antes y {after} después."
    ),
    "alt.marginal.same": ("Gráfico de barras de «{name}»: {bars}, iguales antes y después."),
    "alt.map": (
        "Mapa de las clases sobre «{x}» y «{y}»: {rectangles}, más oscuros donde una clase tiene "
        "más registros."
    ),
    "alt.attacks": (
        "Gráfico de {attacks}: cuántas veces acertó cada uno, con intervalo, junto a referencia y "
        "control. El primero es {title}: {rate}; por azar {chance}."
    ),
    "alt.associations": (
        "Mapa de calor de cuánto cambiaron las asociaciones de {columns}: lo que más, entre "
        "{most}, {much}."
    ),
    "alt.suda": (
        "Gráfico de barras de las contribuciones a los únicos especiales: {most} la mayor, {much}."
    ),
    "alt.frontier": "Gráfico de {runs} por privacidad y pérdida.",
}
