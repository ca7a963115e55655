"""Notebooks and further batches in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.job.fit": "Guardando la recodificación",
    "wb.job.batch": "Anonimizando la entrega siguiente",
    "wb.export.notebook": "Descargar como cuaderno (notebook)",
    "wb.batches": "Entregas siguientes",
    "wb.batches.note": (
        "Si más adelante llegan más registros del mismo tipo, no los anonimice desde cero: dos "
        "tablas con clases distintas se pueden comparar. Guarde la recodificación de esta y "
        "aplíquela a cada entrega; cada una se comprueba por sí sola y junto con todas las "
        "anteriores."
    ),
    "wb.batches.keep": "Guardar esta recodificación",
    "wb.batches.kept": (
        "La recodificación está en {place}; cuenta esta tabla como su primera entrega."
    ),
    "wb.batches.path": "Tabla de la entrega siguiente",
    "wb.batches.do": "Anonimizar esta entrega",
    "wb.batches.done": (
        "Entrega {number}: se publican {rows_out} de {rows_in} registros en {place}. Comprobada "
        "junto con todas las anteriores: {rows} registros."
    ),
}
