"""Actions on columns in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.screen.actions": "Acciones",
    "wb.actions.lead": (
        "Una acción cambia los valores de una columna, celda a celda: oculta, redondea, añade "
        "ruido o da seudónimos. Ninguna acción da k-anonimidad por sí sola: los requisitos se "
        "comprueban después de todas las acciones."
    ),
    "wb.actions.dropped": (
        "Esta columna es un identificador sin acción: no se publica. Con una acción se publica, "
        "cambiada."
    ),
    "wb.actions.released": (
        "Esta columna es un identificador que se publica tal como lo dejan sus acciones."
    ),
    "wb.actions.none": "Esta columna no tiene ninguna acción.",
    "wb.actions.protects": "Protege",
    "wb.actions.exposes": "No protege",
    "wb.actions.add": "Añadir una acción",
    "wb.actions.form": "Acción: {action}",
    "wb.actions.when": "cuándo",
    "wb.actions.when.before": "antes del algoritmo, sobre los valores de la tabla",
    "wb.actions.when.after": "después del algoritmo, sobre los valores publicados",
    "wb.actions.kind.masking": "Ocultación",
    "wb.actions.kind.pseudonymization": "Seudónimos",
    "wb.actions.kind.perturbation": "Ruido e intercambio",
    "wb.actions.kind.free_text": "Texto libre",
    "wb.actions.example": "Ejemplo: celdas de esta tabla",
    "wb.actions.try": "Mostrar un ejemplo",
    "wb.actions.was": "en la tabla",
    "wb.actions.is": "después de las acciones",
    "wb.actions.changed": "Cambian {changed} de {rows} celdas.",
    "wb.actions.sampled": "Se probaron los primeros {values} valores distintos.",
    "wb.actions.late": (
        "Las acciones sobre valores publicados no están en este ejemplo: Resultados las muestra "
        "en cuanto hay una tabla anonimizada."
    ),
    "wb.did.action": "{column}: acción {action}",
    "wb.did.unaction": "{column}: acción {action} quitada",
}
