"""Messages of a profile, by their English template: who is who, and remarks on columns."""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES: Mapping[str, str] = {
    "no value of {column} repeats: each row is treated as a person": (
        "ningún valor de {column} se repite: cada fila se trata como una persona"
    ),
    "{column} has {values:,} values in {records:,} records: if it identifies persons, it is "
    "the entity of k-anonymity, which then counts persons; if each row is a person, set "
    "rows: persons instead": (
        "{column} tiene {values} valores en {records} registros: si identifica a personas, es la "
        "entidad de la k-anonimidad, que entonces cuenta personas; si cada fila es una persona, "
        "indique rows: persons"
    ),
    "{column} repeats, and it is unknown whether by chance or because one person has "
    "several rows: set rows: persons, or entity in k-anonymity": (
        "{column} se repite, y no se sabe si por azar o porque una persona tiene varias filas: "
        "indique rows: persons, o entity en la k-anonimidad"
    ),
    "no identifier repeats: each row is treated as a person": (
        "ningún identificador se repite: cada fila se trata como una persona"
    ),
    "{columns} has {values:,} values in {records:,} records, and other columns depend on it "
    "({others}), as they do on persons with several records, or on groups such as households: if "
    "these are persons, it is the entity of k-anonymity; if each row is a person, set rows: "
    "persons instead": (
        "{columns} tiene {values} valores en {records} registros, y de ella dependen otras "
        "columnas ({others}), como dependen de personas con varios registros, o de grupos como "
        "hogares: si son personas, es la entidad de la k-anonimidad; si cada fila es una persona, "
        "indique rows: persons"
    ),
    "{columns} has {values:,} values in {records:,} records, and other columns depend on it "
    "({others}): probably groups of persons, such as households, schools or matched sets; if they "
    "are persons, set entity in k-anonymity, and if each row is a person, rows: persons": (
        "{columns} tiene {values} valores en {records} registros, y de ella dependen otras "
        "columnas ({others}): probablemente son grupos de personas, como hogares, escuelas o "
        "conjuntos emparejados; si son personas, indique entity en la k-anonimidad, y si cada fila "
        "es una persona, rows: persons"
    ),
    "{records:,} records have {values:,} different values of {columns}, and records that agree in "
    "them agree in {constant}: they look like several records of each person; name the column "
    "that tells persons apart as entity, or set rows: persons if each row is a person": (
        "{records} registros tienen {values} valores distintos de {columns}, y los registros que "
        "coinciden en ellos coinciden en {constant}: parecen varios registros de cada persona; "
        "indique como entity la columna que distingue a las personas, o rows: persons si cada "
        "fila es una persona"
    ),
    "{alone:,} of {records:,} records are alone with their values of {columns}, where about "
    "{expected:,} would be if each were another person: they look like several records of each "
    "person; name the column that tells persons apart as entity, or set rows: persons if each row "
    "is a person": (
        "{alone} de {records} registros son los únicos con sus valores de {columns}, donde lo "
        "serían unos {expected} si cada uno fuera de otra persona: parecen varios registros de "
        "cada persona; indique como entity la columna que distingue a las personas, o rows: "
        "persons si cada fila es una persona"
    ),
    "{nulls:,} of {records:,} records have no value": (
        "{nulls} de {records} registros no tienen valor"
    ),
    "{value}, in {records:,} records, seems to stand for a missing value: if it does, "
    "leave these cells empty": (
        "{value}, en {records} registros, parece indicar que falta el valor: si es así, deje "
        "vacías esas celdas"
    ),
    "a number far from the others": "un número lejos de los demás",
    "{far:,} numbers lie far from the others; as an action, {advice} hides them": (
        "{far} números quedan lejos de los demás; la acción {advice} los oculta"
    ),
    "1 number lies far from the others; as an action, {advice} hides it": (
        "1 número queda lejos de los demás; la acción {advice} lo oculta"
    ),
    "its texts are dates: written as 2024-12-31 they could be recoded as dates": (
        "sus textos son fechas: escritas como 2024-12-31 se podrían recodificar como fechas"
    ),
    "its texts are ISO dates: as a column of dates they would lose less": (
        "sus textos son fechas ISO: como columna de fechas perderían menos"
    ),
    "its texts are numbers: as a column of numbers they would lose less": (
        "sus textos son números: como columna de números perderían menos"
    ),
    "its numbers start with zeros: it is a code, and stays text": (
        "sus números empiezan por cero: es un código y se queda como texto"
    ),
}
