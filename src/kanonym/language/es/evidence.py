"""The reasons of a profile; `….report` is said where counts of records and values are not told."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "evidence.given": "declarado como cuasiidentificador",
    "evidence.trouble": "{detail}; hasta entonces cuenta como identificador y se elimina",
    "evidence.trouble.report": (
        "tal como está no se puede recodificar; hasta entonces cuenta como identificador y se "
        "elimina"
    ),
    "evidence.counts-records": "números consecutivos: numera registros, como personas u hogares",
    "evidence.counts-groups": (
        "números consecutivos: numera grupos de registros, como personas u hogares"
    ),
    "evidence.own-text": "{own} de {records} registros tienen un texto único",
    "evidence.own-text.report": "casi todos los registros tienen un texto único",
    "evidence.entity": (
        "{values} valores para {records} registros: si nombra personas u hogares con varios "
        "registros, es su entidad"
    ),
    "evidence.entity.report": (
        "menos valores que registros: si nombra personas u hogares con varios registros, es su "
        "entidad"
    ),
    "evidence.persons": (
        "{values} valores para {records} registros, de los que dependen otras columnas: parece "
        "numerar personas con varios registros, o grupos como hogares"
    ),
    "evidence.persons.report": (
        "sus valores se repiten y otras columnas dependen de ellos: parece numerar personas con "
        "varios registros, o grupos como hogares"
    ),
    "evidence.constant": "igual en todos los registros: no distingue a nadie",
    "evidence.constant-sensitive": (
        "igual en todos los registros: de quien se sabe que está en la tabla se sabe que lo tiene, "
        "y recodificar otras columnas no lo cambia"
    ),
    "evidence.name": "el nombre sugiere: {what}",
    "evidence.name-sensitive": "el nombre sugiere: {what}, que es sensible",
    "evidence.amount": (
        "pero una cantidad con {values} valores, publicada sin cambios, identifica a quien se sabe "
        "que la tiene; recodificada como cuasiidentificador, no"
    ),
    "evidence.amount.report": (
        "pero una cantidad con muchos valores, publicada sin cambios, identifica a quien se sabe "
        "que la tiene; recodificada como cuasiidentificador, no"
    ),
    "evidence.many-values": (
        "pero {values} valores para {records} registros, publicados sin cambios, identifican los "
        "registros"
    ),
    "evidence.many-values.report": (
        "pero sus muchos valores, publicados sin cambios, identifican los registros"
    ),
    "evidence.seen": "pero quien trata a una persona puede saberlo también",
    "evidence.seen-as": "pero quien trata a una persona puede saberlo también ({what})",
    "evidence.most-frequent": "{values} valores, el más frecuente en el {share} de los registros",
    "evidence.most-frequent.report": ("su valor más frecuente está en el {share} de los registros"),
    "evidence.weight": (
        "probablemente un peso de muestreo: los pesos dependen de los estratos de una encuesta y "
        "así los revelan; no es sensible solo si los estratos no son secretos"
    ),
    "evidence.unknown": "se supone conocible: no hay indicios en un sentido ni en otro",
    "evidence.tells": (
        "1 valor distingue el {share} de los pares de registros",
        "{values} valores distinguen el {share} de los pares de registros",
    ),
    "evidence.tells.report": "sus valores distinguen el {share} de los pares de registros",
    "evidence.alone": (
        "un registro tiene un valor único",
        "{records} registros tienen un valor único",
    ),
    "evidence.nothing-to-recode": (
        "ninguna columna es cuasiidentificador: la política sugerida no funciona hasta que una lo "
        "sea"
    ),
    "evidence.named": "el nombre sugiere «{what}»",
    "evidence.hinted": "el nombre lo sugiere",
    "evidence.no-values": "no tiene valores",
    "evidence.possible": "el {share} de los valores puede serlo",
    "evidence.unusual": (
        "el {share} de los valores tiene una forma usual, y la mayoría son distintos"
    ),
    "evidence.form": "el {share} de los valores son {what}",
    "evidence.international-phones": (
        "el {share} de los valores son números de teléfono con el prefijo de un país"
    ),
    "evidence.national-phones": (
        "el {share} de los valores son números de teléfono del plan de un país"
    ),
    "evidence.names": "el {share} de los valores parecen nombres",
    "evidence.full-names": (
        "el {share} de los valores son nombres completos con un nombre de pila corriente"
    ),
    "evidence.given-names": "el {share} de los valores tiene un nombre de pila corriente",
    "evidence.valid": "el {share} de los valores son válidos como {what}",
    "evidence.shuffled": "de las mismas cifras barajadas, el {share} lo son",
    "evidence.account": "el {share} de los valores son números de {least} a {longest} cifras",
    "evidence.account.report": "el {share} de los valores son números largos",
    "evidence.house-numbers": ("el {share} de los valores son palabras con un número de casa"),
    "evidence.streets": "el {share} de los valores nombra un tipo de vía",
    "evidence.pairs": "el {share} de los valores son pares de latitud y longitud",
    "evidence.latitudes": (
        "el {share} de los valores está dentro de 90 grados y tiene dos decimales o más, un "
        "kilómetro o menos"
    ),
    "evidence.longitudes": (
        "el {share} de los valores está dentro de 180 grados y tiene dos decimales o más, un "
        "kilómetro o menos"
    ),
    "evidence.unshared": "no hay dos registros que compartan un valor, en lo examinado",
    "evidence.counter": "los valores son distintos y llenan su rango, como los de un contador",
    "evidence.serial": (
        "los valores son distintos y tienen {digits} cifras cada uno, como los números de serie"
    ),
    "evidence.serial.report": (
        "los valores son distintos y tienen el mismo número de cifras, como los números de serie"
    ),
    "evidence.pattern": (
        "los valores son distintos y siguen un mismo patrón de letras y cifras, como los códigos "
        "de registros"
    ),
    "evidence.free-text": (
        "los valores son textos de {words} palabras de media, y la mayoría son distintos"
    ),
    "evidence.free-text.report": (
        "los valores son textos de varias palabras, y la mayoría son distintos"
    ),
    "evidence.mentions": "el {share} de los textos examinados menciona alguno",
}
