"""Headings, tables and notes of the page."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "title": "Informe de anonimización",
    "yes": "sí",
    "no": "no",
    "met": "✓ sí",
    "unmet": "✗ no",
    "under": "menos del {least}",
    "small": "menos de {least}",
    "small.negative": "0 a −{least}",
    "over": "más del {most}",
    "unbounded": "sin límite",
    "certain": "1 de 1 (seguro)",
    "one-in": "1 de {number} ({share})",
    "one-in.short": "1 de {number}",
    "about": "cerca de {number}",
    "fewer": "menos de {number}",
    "most": "más de {number}",
    "of": "{part} de {whole}",
    "further": "{number} más en «{section}».",
    "more": "{names} y {number} más",
    "noun.record": ("registro", "registros"),
    "noun.item": ("elemento", "elementos"),
    "noun.column": ("columna", "columnas"),
    "noun.class": ("clase", "clases"),
    "noun.node": ("nodo", "nodos"),
    "noun.cell": ("celda", "celdas"),
    "noun.other": ("otro", "otros"),
    "noun.other-person": ("otra persona", "otras personas"),
    "noun.person": ("persona", "personas"),
    "noun.attack": ("ataque", "ataques"),
    "noun.description": ("descripción", "descripciones"),
    "noun.decision": ("decisión", "decisiones"),
    "noun.person-cells": ("persona (celda a celda)", "personas (celda a celda)"),
    "noun.record-cells": ("registro (celda a celda)", "registros (celda a celda)"),
    "noun.rectangle": ("rectángulo", "rectángulos"),
    "noun.pair": ("par", "pares"),
    "noun.bar": ("barra", "barras"),
    "noun.run": ("prueba", "pruebas"),
    "tile.released": "registros publicados",
    "tile.met": "requisitos cumplidos",
    "tile.found": "mayor probabilidad de acertar un registro por sus cuasiidentificadores",
    "tile.found.persons": (
        "mayor probabilidad de acertar una persona de la clase por los cuasiidentificadores de un "
        "registro"
    ),
    "tile.found.items": (
        "mayor probabilidad de acertar el registro de una persona por lo que el requisito cubre"
    ),
    "tile.lost.items": "de su jerarquía perdió un elemento, de media (NCP)",
    "tile.found.note": "(clase menor: {records})",
    "tile.lost": "del rango de su columna abarca un valor publicado (pérdida de rango)",
    "made.dated": "Informe del {date}",
    "made.tables": "{output}, a partir de {source}",
    "made.seed": "semilla {seed}",
    "signed.name": "nombre",
    "signed.date": "fecha",
    "signed.signature": "firma",
    "heading.purpose": "Finalidad.",
    "made.author": "de {author}",
    "heading.question": "Pregunta.",
    "heading.answer": "Respuesta.",
    "heading.terms": "Términos.",
    "first.released": "¿Qué se publicó?",
    "first.required": "¿Qué requisito se fijó, y se cumplió?",
    "first.intruder": "¿Qué puede hacer con ella un intruso, en comparación con el azar?",
    "first.lost": "¿Qué se perdió?",
    "first.repeat": "¿Cómo se reproduce y se comprueba?",
    "first.made": (
        "Publicado: {records} con {columns}, a partir de {source} con {records_in} y {columns_in}."
    ),
    "first.table": "una tabla",
    "seed.drawn": "aleatoria, no guardada",
    "first.drawn": (
        "Se sorteó una semilla que no se guarda: con la misma tabla, política y versiones, la "
        "primera orden da una publicación del mismo tipo; sus clases, el orden de las filas y los "
        "valores aleatorios pueden ser otros. {checks} La política y todas las versiones están en "
        "«{section}»."
    ),
    "first.repeated": (
        "Con la misma tabla, política, semilla y versiones, la primera orden da la misma "
        "publicación, byte a byte. {checks} La política y todas las versiones están en «{section}»."
    ),
    "contents": "Contenido",
    "numbers": "Los números",
    "section.roles": "Roles, y por qué",
    "section.transformations": "Qué se hizo con cada atributo",
    "section.privacy": "Privacidad: lo exigido y lo logrado",
    "section.attacks": "Ataques: el éxito comparado con el azar",
    "section.gdpr": "Las tres preguntas de la protección de datos",
    "section.risk": "El riesgo en cifras",
    "section.utility": "Utilidad: lo que queda",
    "section.maps": "Clases sobre dos cuasiidentificadores",
    "section.choice": "El nodo elegido y sus vecinos",
    "section.comparison": "Alternativas: privacidad y pérdida",
    "section.limits": "Límites: contra qué no protege",
    "section.repeat": "Cómo reproducirlo",
    "part.sizes": "Tamaño de las clases",
    "part.losses": "Pérdida por atributo",
    "part.marginals": "Distribuciones antes y después",
    "part.associations": "Asociaciones entre columnas",
    "part.measures": "Medidas de utilidad",
    "part.suda": "Únicos especiales",
    "part.presets": "Umbrales normativos",
    "role.identifier": "identificador",
    "role.quasi-identifier": "cuasiidentificador",
    "role.sensitive": "sensible",
    "role.insensitive": "no sensible",
    "role.set": "conjunto de elementos",
    "role.changed": "{role}, cambiado",
    "fate.identifier": "eliminado",
    "fate.quasi-identifier": "recodificado (véase 4)",
    "fate.sensitive": "sin cambios",
    "fate.insensitive": "sin cambios",
    "fate.set": "elementos recodificados o eliminados (véase 4)",
    "fate.identifier.changed": "sustituido",
    "fate.quasi-identifier.changed": "cambiado y recodificado (véase 4)",
    "fate.sensitive.changed": "cambiado",
    "fate.insensitive.changed": "cambiado",
    "fate.blanked": "valor original o en blanco",
    "head.role": "rol",
    "head.attributes": "atributos",
    "head.attribute": "atributo",
    "head.fate": "publicado",
    "head.why": "por qué",
    "head.done": "qué se hizo",
    "head.examples": "valor inventado → publicado como",
    "head.requirement": "requisito",
    "head.required": "exigido",
    "head.achieved": "logrado",
    "head.met": "cumplido",
    "head.attack": "ataque",
    "head.wants": "qué quiere saber el intruso, y qué sabe ya",
    "head.attempts": "intentos",
    "head.right": "aciertos",
    "head.chance": "por azar",
    "head.baseline": "referencia",
    "head.control": "control",
    "head.beyond": "por encima del azar",
    "head.question": "pregunta",
    "head.answer": "respuesta",
    "head.measure": "medida",
    "head.value": "valor",
    "head.unit": "unidad",
    "head.better": "mejor",
    "head.part": "parte",
    "head.preset": "umbral",
    "head.reason": "por qué",
    "head.records": "registros",
    "head.class-size": "registros en la clase",
    "head.classes": "clases",
    "head.recoding": "recodificación",
    "head.lost": "pérdida de rango",
    "head.listed": "enumerados tal cual",
    "head.named": "valores por etiqueta",
    "head.rmse": "RMSE",
    "head.values": "valores antes",
    "head.released-values": "valores publicados",
    "head.bar": "valor",
    "head.before": "antes",
    "head.after": "después",
    "head.level": "nivel",
    "head.example": "etiqueta más frecuente",
    "head.finer": "más fino: {what}",
    "head.coarser": "más grueso: {what}",
    "head.suppressed": "suprimidos",
    "head.satisfies": "cumple",
    "head.run": "publicación",
    "head.frontier": "frontera",
    "head.difference": "cambio",
    "head.columns": "columnas",
    "roles.given": (
        "Los roles están fijados en la política. `kanonym profile TABLE` da indicios sobre ellos."
    ),
    "roles.profiled": (
        "Los indicios vienen de un perfil de la tabla; no muestran ningún valor de ella."
    ),
    "roles.otherwise": "el perfil propone: {role}",
    "roles.silent": "fijado en la política",
    "examples.note": (
        "Las etiquetas de la derecha están en la publicación. Los valores de la izquierda son "
        "inventados, o aparecen en la propia etiqueta y los tienen al menos {floor} registros "
        "publicados. No se muestra ningún valor de un identificador ni de un atributo sensible."
    ),
    "done.identifier": "eliminado: no está en la publicación",
    "done.items": "los elementos recibieron etiquetas de una jerarquía o se eliminaron",
    "done.unchanged": "publicado sin cambios",
    "done.actions": "cambiado valor por valor: {actions}",
    "done.interval": "cada clase recibe el intervalo de su valor más bajo al más alto",
    "done.range": "cada clase recibe dos columnas: su valor más bajo y el más alto",
    "done.set": "cada clase recibe el conjunto de sus valores",
    "done.hierarchy": (
        "cada clase recibe la etiqueta más fina de la jerarquía que cubre sus valores"
    ),
    "done.levels": "nivel {level} de {highest} de su jerarquía, en todos los registros",
    "done.mean": "cada clase recibe la media de sus valores",
    "done.median": "cada clase recibe la mediana de sus valores",
    "done.mode": "cada clase recibe su valor más frecuente",
    "done.balanced": (
        "cada clase recibe uno de sus valores, elegido para que las tablas de dos columnas se "
        "parezcan a las del original"
    ),
    "done.value": "valor original o en blanco",
    "done.and": "{first}; después, {second}",
    "example": "{invented} → {released}",
    "sizes.text": (
        "{classes}. La menor tiene {smallest}, la de en medio (mediana) {median}, la mayor "
        "{largest}; {mean} registros de media. En una clase grande, una persona se esconde "
        "entre más gente."
    ),
    "sizes.caption": "Registros publicados según el tamaño de su clase.",
    "sizes.none": "No se publicó ningún registro, así que no hay clases.",
    "losses.text": (
        "Cuánto de todo el rango de un atributo abarca un valor publicado (pérdida de rango), de "
        "media sobre los registros de la tabla original; un registro suprimido cuenta como el "
        "100 %. Una lista de valores ordenados abarca lo mismo que el rango del primero al último; "
        "una etiqueta de una jerarquía, su parte de los valores. «Enumerados tal cual»: "
        "registros cuyo valor se publica solo o en una lista."
    ),
    "losses.caption": "Pérdida de rango. 0 % significa publicado sin cambios.",
    "losses.most": "Los {shown} atributos que más perdieron, de {all}.",
    "losses.rmse": (
        "RMSE: cuánto dista del original el centro de un valor publicado (raíz del error "
        "cuadrático medio), en la unidad del atributo; solo para números."
    ),
    "marginals.note": (
        "Ambas barras cuentan los registros publicados: antes, por sus valores originales; "
        "después, por lo que dice la publicación, cada clase repartida por igual sobre su valor "
        "publicado. Los registros suprimidos no están en ninguna. Los valores que tienen menos de "
        "{floor} registros, o que la publicación no distingue, comparten barra; los números se "
        "redondean a múltiplos de {floor}."
    ),
    "maps.note": (
        "Cada rectángulo es lo que la publicación dice de los dos atributos en una o más clases: "
        "en algún lugar de él están sus registros. Las clases que solo difieren en otros "
        "atributos quedan una sobre otra. Rectángulos pequeños son valores precisos; los más "
        "oscuros tienen más registros por clase. Los ejes terminan donde terminan las etiquetas "
        "publicadas; un rectángulo de una etiqueta abierta, como «60 o más», llega al borde."
    ),
    "measures.rounded": (
        "Las medidas que comparan la publicación con la tabla original están redondeadas (las "
        "proporciones, a {step}), para que con ellas no se puedan distinguir menos registros de "
        "los que debe tener una clase."
    ),
    "maps.title": "{x} – {y}",
    "maps.count": "{rectangles}, sin contar los repetidos.",
    "maps.drawn": "Se muestran: los {shown} con más registros, el {share} de los publicados.",
    "maps.missing": "No se muestran: {records} en cuyo valor publicado falta alguno.",
    "maps.further": "{pairs} más",
    "associations.note": (
        "Cuánto cambió la asociación de dos columnas, de 0 (nada) a 1: la diferencia de las "
        "correlaciones entre dos números, de la V de Cramér entre dos categorías, de las razones "
        "de correlación entre una de cada."
    ),
    "associations.most": "Las {shown} columnas cuyas asociaciones más cambiaron, de {all}.",
    "suda.none": "Ningún registro publicado es un único especial, así que no hay contribuciones.",
    "suda.text": (
        "Un único especial está solo con los valores de muy pocos atributos. Cuánto contribuye "
        "cada cuasiidentificador a las puntuaciones de los que quedan en la publicación:"
    ),
    "assessed.missing": "Sin medir: {reasons}.",
    "presets.met": "cumplido",
    "presets.unmet": "no cumplido",
    "presets.unknown": "no se sabe",
    "compared.caption": (
        "Cada punto es una publicación que se probó. La línea une las que ninguna otra supera a la "
        "vez en privacidad y en pérdida. El anillo marca la recomendada."
    ),
    "compared.refused": "{runs} no dieron ninguna publicación.",
    "repeat.policy": "Política.",
    "repeat.drawn": (
        "Se sorteó una semilla que no se guarda: la primera orden da una publicación del mismo "
        "tipo; sus clases, el orden de las filas y los valores aleatorios pueden ser otros. El "
        "SHA-256 de abajo es el de esta publicación, escrita como CSV; el de la política es el de "
        "su forma JSON con las claves ordenadas. {checks}"
    ),
    "repeat.sentence": (
        "Ejecute la primera orden con la misma entrada. La publicación, escrita como CSV, tiene el "
        "SHA-256 de abajo; el de la política es el de su forma JSON con las claves ordenadas. "
        "{checks}"
    ),
    "repeat.checks": (
        "`kanonym verify` comprueba por sí solo un archivo publicado, sea cual sea la herramienta "
        "que lo hizo; `kanonym attack` lo ataca."
    ),
    "repeat.unchecked": (
        "`kanonym attack` ataca un archivo publicado. `kanonym verify` no puede comprobar este: "
        "las personas se contaron por un identificador que ya no tiene, y ningún manifiesto de un "
        "archivo tiene su número."
    ),
    "repeat.algorithm": "algoritmo",
    "repeat.seed": "semilla",
    "repeat.seconds": "segundos",
    "repeat.versions": "versiones",
    "repeat.input": "entrada",
    "repeat.output": "salida",
    "repeat.date": "fecha de este informe",
    "repeat.policy-form": "como JSON, claves ordenadas",
    "repeat.release-form": "como CSV",
    "repeat.policy-hash": "SHA-256 de la política",
    "repeat.release-hash": "SHA-256 de la publicación",
    "repeat.input-hash": "SHA-256 de la entrada",
    "repeat.output-hash": "SHA-256 de la salida",
    "repeat.source": (
        "Grupo de Trabajo del Artículo 29, Dictamen 05/2014 sobre técnicas de anonimización"
    ),
    "repeat.save": "Para ejecutar las órdenes con {file}, guarde esto como {file}.",
    "repeat.listing": (
        "Los valores que enumeran jerarquías y acciones se sustituyen por su SHA-256: podrían "
        "venir de la tabla."
    ),
}
