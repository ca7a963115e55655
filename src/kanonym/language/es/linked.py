"""El informe sobre tablas enlazadas."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "linked.title": "Publicación de tablas enlazadas",
    "linked.failed": "no publique estas tablas",
    "linked.satisfied": (
        "las personas se parecen con todas las filas que, según la política, puede conocer un "
        "intruso"
    ),
    "linked.lead": (
        "Quien conoce los cuasi-identificadores de una persona y todas sus filas en {tables}, "
        "y cuántas veces aparece cada una, no puede distinguirla de al menos otras {others}. "
        "Se ha contado en las propias tablas publicadas, unidas por sus claves."
    ),
    "linked.lead.set": (
        "Quien conoce los cuasi-identificadores de una persona y qué filas tiene en {tables}, "
        "pero no cuántas veces, no puede distinguirla de al menos otras {others}. Se ha "
        "contado en las propias tablas publicadas, unidas por sus claves."
    ),
    "linked.persons": "Personas",
    "linked.k": "Clase más pequeña",
    "linked.suppressed": "Personas suprimidas",
    "linked.loss": "Pérdida de amplitud",
    "linked.tables": "Tablas",
    "linked.table": "tabla",
    "linked.rows.in": "filas de entrada",
    "linked.rows.out": "filas publicadas",
    "linked.tables.note": (
        "Una persona suprimida se lleva todas sus filas; cada referencia conduce a una fila "
        "publicada o está vacía."
    ),
    "linked.merged": "filas fusionadas",
    "linked.merged.note": (
        "Las filas fusionadas de {table} tienen la persona y todos los valores publicados de una "
        "fila que queda, a la que ahora se refieren las filas que dependían de ellas. De "
        "{different} filas distintas de personas se perdieron {lost}."
    ),
    "linked.not-released": "no se publica",
    "linked.levels": "Niveles",
    "linked.column": "cuasi-identificador",
    "linked.level": "nivel",
    "linked.level.of": "{level} de {highest}",
    "linked.levels.note": (
        "Cada columna tiene un solo nivel en todas las filas. Se probaron {checked} de {size} "
        "combinaciones de niveles; {proof}."
    ),
    "linked.optimal": "ninguna pierde menos",
    "linked.not-optimal": "puede haber una que pierda menos",
    "linked.built": "Jerarquías construidas porque no se dio ninguna: {names}.",
    "linked.knows": "Qué sabe un intruso",
    "linked.known": "un intruso conoce",
    "linked.class": "personas en la clase más pequeña",
    "linked.persons_k": "solo la tabla de personas",
    "linked.persons_by_set_k": "todas las filas, no cuántas veces aparece cada una",
    "linked.persons_by_multiset_k": "todas las filas y cuántas veces aparece cada una",
    "linked.persons_by_count_k": "el número de filas en cada tabla",
    "linked.alone": (
        "Una persona está sola en su clase por todas las filas.",
        "{alone} personas están solas en su clase por todas las filas.",
    ),
    "linked.by-table": "Lo mismo para cada tabla",
    "linked.one-row": "una fila conocida",
    "linked.two-rows": "dos filas conocidas",
    "linked.all-rows": "número de filas",
    "linked.most": "más filas de una persona",
    "linked.numbers": (
        "El número de filas identifica: una persona con muchas filas es rara. En la política, "
        "cap, merge y band lo limitan."
    ),
    "linked.requirements": "Requisitos",
    "linked.model": "modelo",
    "linked.required": "exigido",
    "linked.achieved": "alcanzado",
    "linked.keys": "Claves",
    "linked.space": "clave",
    "linked.values": "valores",
    "linked.pseudonyms": "seudónimos",
    "linked.keys.note": (
        "Los seudónimos con clave (keyed-hash) son iguales en todas las publicaciones con esa "
        "clave: quien tenga dos puede seguir a una persona de una a otra. Los números "
        "(surrogate) se sortean de nuevo en cada publicación."
    ),
    "linked.none": "se publican tal cual",
    "linked.limits": "Qué no dice esto",
    "linked.limit.dates": (
        "Las fechas desplazadas por persona conservan el tiempo entre ellas, que puede "
        "identificar; una fecha conocida revela todas las demás de la persona."
    ),
    "linked.limit.next": "Otra publicación sobre las mismas personas debe juzgarse junto con esta.",
    "linked.limit.links": (
        "El texto libre y las columnas que la política llama no sensibles no se cuentan."
    ),
    "linked.finding.unprotected-sensitive": (
        "{columns}: ningún modelo limita lo que una clase revela."
    ),
    "linked.finding.dominant-value": (
        "{columns}: casi todas las personas de una clase tienen un mismo valor; se conoce "
        "prácticamente de todas ellas."
    ),
    "linked.source": "{source} → {output}",
    "linked.lead.own": (
        "Quien conoce los cuasi-identificadores de una persona no puede distinguirla de al "
        "menos otras {others}. Se ha contado en las propias tablas publicadas; las filas de "
        "otras tablas no se cuentan."
    ),
}
