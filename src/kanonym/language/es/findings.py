"""What takes the green off the banner, one sentence per kind of warning.

Facts: `columns`, and the counts of the warning by name.
"""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "finding.repeated-identifier": (
        "{values} valores de «{columns}» aparecen en {records} registros. Si son varios registros "
        "de una misma persona, las cifras de abajo cuentan registros, no personas."
    ),
    "finding.person-column": (
        "{columns}: {values} valores en {records} registros, que determinan otras: parecen "
        "varios registros de una misma persona, y k cuenta registros, no personas."
    ),
    "finding.repeated-persons": (
        "Los registros coinciden en {columns} como varios registros de una misma persona: {values} "
        "combinaciones en {records} registros, de los que {alone} están solos. k cuenta registros, "
        "no personas."
    ),
    "finding.unprotected-sensitive": (
        "Ningún requisito protege {columns}: todos los registros de una clase pueden tener el "
        "mismo valor, que entonces se conoce de todas las personas de la clase."
    ),
    "finding.dominant-value": (
        "En {classes} de las clases, con {records} de los registros, casi todos los registros "
        "comparten un valor de «{columns}», hasta el {share}: allí es casi como si se conociera."
    ),
    "finding.near-values": (
        "En {classes} de las clases, con {records} de los registros, casi todos los valores de "
        "«{columns}» son muy próximos: son distintos, pero cada uno se conoce casi con exactitud."
    ),
    "finding.similar-values": (
        "En {classes} de las clases, con {records} de los registros, casi todos los valores de "
        "«{columns}» empiezan por la misma palabra o el mismo código: son distintos, pero se "
        "conoce lo que tienen en común."
    ),
    "finding.identifying-amount": (
        "{columns}: se publica, aunque hasta {records} registros tienen un valor único. Quien lo "
        "conozca encuentra a la persona."
    ),
    "finding.free-text": (
        "{columns}: se publica texto libre. Puede contener nombres e historias enteras, también "
        "donde se han sustituido los identificadores hallados: ningún requisito los protege."
    ),
    "finding.long-list": (
        "{columns}: {records} registros tienen una etiqueta que enumera más de diez valores, "
        "hasta {longest}. Cada valor enumerado es de alguien; un rango o una etiqueta de una "
        "jerarquía muestra menos."
    ),
    "finding.items-apart": (
        "{columns}: los elementos y los cuasiidentificadores se protegen por separado. Quien "
        "conoce ambos puede encontrar menos registros, o uno solo; k-km-anonymity los protege "
        "juntos."
    ),
    "finding.trivial-model": (
        "Hay requisitos que siempre se cumplen ({models} de {requirements}): cualquier registro "
        "podría haberse publicado sin cambios."
    ),
    "shares.worst": (
        "La peor clase para «{attribute}»: el {share} de sus {records} comparte un valor; en toda "
        "la tabla, el {table}."
    ),
    "finding.drawn-values": (
        "Los valores de {columns} se sortearon entre los de sus etiquetas: los registros con "
        "valores iguales coinciden por azar, y las cifras de abajo no protegen a nadie. Lo que "
        "cuenta es la tabla con las etiquetas."
    ),
    "finding.not-private": (
        "Se dio una semilla: quien la conoce puede repetir lo sorteado. Esta publicación no es "
        "diferencialmente privada."
    ),
    "finding.unrecorded": (
        "No consta en un libro de cuentas: cada publicación más de la misma tabla añade su ε. Un "
        "libro de cuentas los suma."
    ),
    "finding.large-delta": (
        "δ es una probabilidad de 1 entre {one_in}, y se publicaron {released} registros: con este "
        "δ un mecanismo puede publicar algunos registros tal como son. Use 1e-6 o menos."
    ),
    "finding.foreign-labels": (
        "{columns}: valores publicados que no son los de un solo nivel de la jerarquía, o una "
        "columna que la política no publica."
    ),
    "finding.date-intervals": (
        "{columns}: los tiempos entre las fechas desplazadas de una persona quedan como estaban y "
        "no se cuentan. Personas que los comparten con menos de {k} de su clase, ellas incluidas: "
        "{persons}."
    ),
    "finding.unshifted-dates": (
        "{columns}: fechas que no se desplazan con las demás de la persona. Si ambas son de un "
        "mismo suceso, la diferencia revela el desplazamiento."
    ),
    "finding.copied-column": (
        "{columns}: los valores repiten los de una columna generalizada o sustituida, y se "
        "publican como están."
    ),
    "finding.batches-together": (
        "{columns}: este lote y los anteriores dejan juntos menos valores posibles de lo exigido "
        "a quienes están en varios. Personas a las que les queda uno, que así se conoce: {known}."
    ),
    "finding.spellings": (
        "{columns}: {values} valores que se leen como {different}: los demás solo difieren en "
        "mayúsculas, espacios, tildes, signos parecidos o invisibles, puntuación final o la forma "
        "de un número o una fecha, o son palabras que indican un dato ausente. Contados como uno, "
        "no cumplen los requisitos."
    ),
    "finding.shifted-distribution": (
        "{columns}: los requisitos se cumplen frente a la tabla original, y no frente a la "
        "publicada, de la que se suprimieron registros."
    ),
    "finding.unread-parts": (
        "El archivo contiene más que su tabla, y no está verificado: {parts} partes, como otras "
        "hojas, comentarios o metadatos."
    ),
    "finding.dependent-column": (
        "{columns}: se publica sin cambios, aunque de ella se deduce un cuasi-identificador, o de "
        "él se deduce ella. Contada con los cuasi-identificadores, hasta {records} registros están "
        "en clases de menos de {k}."
    ),
    "finding.knowable-column": (
        "{columns}: se publican sin cambios y sin un papel propio, aunque por su nombre otros "
        "pueden conocerlas. Contadas con los cuasi-identificadores, hasta {records} registros "
        "están en clases de menos de {k}."
    ),
    "finding.no-records": "No se publicó ningún registro: no había nada que comprobar.",
}
