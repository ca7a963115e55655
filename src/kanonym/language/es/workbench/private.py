"""The workbench under differential privacy."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.run.private": (
        "Cada ejecución sortea otros registros y gasta ε de nuevo. No ejecute otra vez en busca "
        "de un resultado mejor."
    ),
    "wb.export.private": (
        "Esto hace otra tabla, con otros registros, y gasta ε de nuevo: un sorteo de la "
        "privacidad diferencial no se repite. Si se publican ambas, sus ε se suman."
    ),
    "wb.export.holder": (
        "El informe público y el manifiesto público pueden acompañar a la tabla anonimizada. El "
        "otro informe, el manifiesto y esta página tienen cifras de la tabla que no son privadas: "
        "no los publique."
    ),
    "wb.explore.private": (
        "Con privacidad diferencial no se compara nada: elegir por lo que da la tabla revelaría "
        "algo de ella. Elija los niveles por lo que se sabe sin la tabla, o dé al requisito un "
        "search_epsilon, con el que se sortean."
    ),
    "wb.batches.private": (
        "Con privacidad diferencial no se guarda ninguna recodificación: un lote posterior se "
        "publica aparte, con su propio ε."
    ),
    "wb.private": (
        "La privacidad diferencial cubre la tabla anonimizada y sus archivos públicos, nada más "
        "de esta página: las demás cifras dependen de los registros. Son solo para usted. No "
        "elija ajustes por ellas."
    ),
    "wb.unrepeatable": (
        "Esta tabla se hizo sin semilla, así que no se puede repetir igual para mirar sus "
        "registros. Sus archivos se conservan. Ejecute otra vez para hacer otra."
    ),
    "wb.status.mechanism": "{model}: una promesa del sorteo; no hay nada que contar",
    "wb.ledger": "Libro de cuentas",
    "wb.ledger.file": "Archivo que suma lo gastado por todas las publicaciones de esta tabla",
    "wb.ledger.note": (
        "Use el mismo archivo para cada publicación de esta tabla y de sus versiones posteriores, "
        "en esta página, en la línea de órdenes y en Python. Cada ejecución lo carga antes de "
        "sortear un registro."
    ),
    "wb.ledger.spent": (
        "Gastado hasta ahora, según este archivo: ε = {epsilon}, δ = {delta}. "
        "Publicaciones: {releases}."
    ),
}
