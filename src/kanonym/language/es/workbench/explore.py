"""Other solutions and single records in the workbench."""

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
    "wb.explore.limited": (
        "Son las mejores hasta ahora: se probaron {total} de {whole} antes de acabarse el tiempo."
    ),
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
    "wb.job.accuracy": "Entrenando modelos con la tabla anonimizada",
    "wb.accuracy": "Acierto de los modelos",
    "wb.accuracy.note": (
        "Unos modelos aprenden a predecir una columna, una vez de la tabla anonimizada y otra de "
        "la original, y se prueban con registros que no han visto. Tarda unos segundos."
    ),
    "wb.accuracy.column": "Columna que predecir",
    "wb.accuracy.do": "Entrenar y comparar",
    "wb.accuracy.found": "queda el {share} de la ventaja de la tabla sobre una conjetura",
    "wb.screen.records": "Registros",
    "wb.records.lead": (
        "Ordenados por cuántos registros de la tabla original tienen los mismos "
        "cuasiidentificadores, primero los que menos. Registros solos con los suyos: {uniques} de "
        "{whole}. Registros sin publicar: {suppressed}."
    ),
    "wb.records.lead.persons": (
        "Primero, los registros de las personas más fáciles de hallar. Sin igual antes: {uniques} "
        "de {whole}. Registros sin publicar: {suppressed}."
    ),
    "wb.records.person": "Buscar a alguien",
    "wb.records.person.note": (
        "Escriba lo que alguien puede saber de una persona, tal como está en la tabla. Se "
        "compara en este equipo y no se guarda."
    ),
    "wb.records.suppressed": "solo registros suprimidos",
    "wb.records.find": "Buscar",
    "wb.records.all": "Todos los registros",
    "wb.records.found": "Registros: {number}",
    "wb.records.before": "registros iguales antes",
    "wb.records.before.persons": "personas iguales antes",
    "wb.records.after": "registros iguales después",
    "wb.records.after.persons": "personas iguales después",
    "wb.records.gone": "suprimido",
    "wb.records.telling": "qué lo distingue",
    "wb.why.records": (
        "Con {column} {value} en vez de {released}, su clase tendría {records}; se exigen al "
        "menos {required}."
    ),
    "wb.why.model": (
        "Con {column} {value} en vez de {released}, su clase tendría {records} y un {model} de "
        "{measured}; se exige {relation} {required}."
    ),
    "wb.why.others.records": (
        "Con {column} {value} en vez de {released}, del resto de su clase quedarían {records}; se "
        "exigen al menos {required}."
    ),
    "wb.why.others.model": (
        "Con {column} {value} en vez de {released}, el resto de su clase tendría un {model} de "
        "{measured}; se exige {relation} {required}."
    ),
    "wb.why.nothing": (
        "Con {column} {value} en vez de {released}, no se incumpliría ningún requisito sobre su "
        "clase: el algoritmo divide los registros de otra manera."
    ),
    "wb.why.suppressed.records": (
        "Suprimido: con los valores que tiene, su clase tendría {records}; se exigen al menos "
        "{required}."
    ),
    "wb.why.suppressed.model": (
        "Suprimido: con los valores que tiene, su clase tendría {records} y un {model} de "
        "{measured}; se exige {relation} {required}."
    ),
    "wb.why.suppressed.nothing": (
        "Suprimido, aunque una clase de los valores que tiene cumpliría todos los requisitos "
        "sobre clases: el algoritmo divide los registros de otra manera."
    ),
    "wb.why.suppressed.levels.records": (
        "Suprimido: en los niveles de esta tabla su clase tendría {records}; se exigen al menos "
        "{required}."
    ),
    "wb.why.suppressed.levels.model": (
        "Suprimido: en los niveles de esta tabla su clase tendría {records} y un {model} de "
        "{measured}; se exige {relation} {required}."
    ),
    "wb.why.suppressed.levels.nothing": (
        "Suprimido, aunque su clase en los niveles de esta tabla cumpliría todos los requisitos "
        "sobre clases."
    ),
    "wb.records.without": "sin {column}: {number} iguales",
}
