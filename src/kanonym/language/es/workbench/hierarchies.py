"""Hierarchies in the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.hierarchies.recoding": "Los valores se publican como",
    "wb.hierarchies.recoding.usual": "lo elegido en Ejecutar ({recoding})",
    "wb.recoding.hierarchy": "etiquetas de esta jerarquía",
    "wb.recoding.interval": "intervalos, o etiquetas de la jerarquía si son textos",
    "wb.recoding.range": "dos columnas: valor más bajo y más alto",
    "wb.recoding.set": "conjuntos de valores",
    "wb.recoding.mean": "medias",
    "wb.recoding.median": "medianas",
    "wb.recoding.mode": "valores más frecuentes",
    "wb.did.recoding": "Cómo se publica {column}",
    "wb.screen.hierarchies": "Jerarquías",
    "wb.hierarchies.lead": (
        "Una jerarquía dice con qué etiquetas se pueden publicar los valores de una columna, "
        "desde el valor hasta *, que vale por cualquiera."
    ),
    "wb.hierarchies.nocolumn": "Ninguna columna es cuasiidentificador.",
    "wb.hierarchies.suggested": (
        "Esta columna no tiene jerarquía propia. Abajo está la que conviene a sus valores; se "
        "usa donde un algoritmo la necesita."
    ),
    "wb.hierarchies.covers": "Cubre los {values} valores. Etiquetas por nivel: {levels}.",
    "wb.hierarchies.export": "Exportar como CSV",
    "wb.hierarchies.ticked": "Poner los valores marcados en el grupo",
    "wb.hierarchies.name": "nombre del grupo",
    "wb.hierarchies.level": "nivel",
    "wb.hierarchies.at": "nivel {level}",
    "wb.hierarchies.new": "un nivel nuevo",
    "wb.hierarchies.group": "Agrupar",
    "wb.hierarchies.into": "Mover los valores marcados a {label}",
    "wb.hierarchies.drag": "Arrastre un valor a un grupo, o marque valores y pulse ⇥ en el grupo.",
    "wb.hierarchies.tree": "Niveles como árbol",
    "wb.hierarchies.all": "Marcar todos los valores visibles",
    "wb.hierarchies.records": "registros",
    "wb.hierarchies.more": "No se muestran otros {number} valores.",
    "wb.hierarchies.rename": "Cambiar el nombre de un grupo",
    "wb.hierarchies.newname": "Nombre nuevo",
    "wb.hierarchies.build": "Construir con una regla",
    "wb.hierarchies.do": "Construir",
    "wb.hierarchies.import": "Importar un archivo (CSV como el de ARX)",
    "wb.hierarchies.import.do": "Importar",
    "wb.hierarchies.remove": "Quitar esta jerarquía",
    "wb.hierarchies.none": "Marque primero al menos un valor.",
    "wb.hierarchies.nofile": "Elija primero un archivo.",
    "wb.builder.intervals": "Números: intervalos, más anchos en cada nivel; width: [5, 10, 20].",
    "wb.builder.groups": "Valores en su orden, de varios en varios; fan_outs: [3, 2].",
    "wb.builder.masking": "Códigos: un carácter oculto más en cada nivel.",
    "wb.builder.dates": "Fechas: meses, trimestres, años, décadas.",
    "wb.builder.prefix": "Textos: los que empiezan igual.",
    "wb.builder.frequency": "Los valores raros, juntos.",
    "wb.builder.flat": "El valor, o *.",
    "wb.did.hierarchy": "Jerarquía de {column}",
}
