"""Other solutions in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.screen.explore": "Explorar",
    "wb.job.explore": "Buscando otras soluciones",
    "wb.explore.lead": (
        "Mire otras soluciones antes de elegir una: más privacidad cuesta más información. No "
        "cambia nada hasta que elija."
    ),
    "wb.explore.compare": "Comparar algoritmos y tamaños de clase",
    "wb.explore.lattice": "Evaluar todas las combinaciones de niveles",
    "wb.explore.comparison": "Tablas comparadas",
    "wb.explore.older": "Se hallaron junto a una política anterior.",
    "wb.explore.shown": "Se muestran {shown} de {total}.",
    "wb.explore.front": "ninguna otra es mejor en ambas",
    "wb.explore.holds": "cumple la política",
    "wb.explore.fails": "no la cumple",
    "wb.explore.suppressed": "registros suprimidos",
    "wb.explore.classes": "clases",
    "wb.explore.solution": "solución",
    "wb.explore.choose": "Elegir esta",
    "wb.explore.knee": "recomendada",
    "wb.explore.loss": "pérdida",
    "wb.did.solution": "Solución: {solution}",
}
