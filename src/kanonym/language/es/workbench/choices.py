"""What models promise, what differential privacy excludes, when an algorithm is chosen."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.model.k-anonymity": (
        "Quien conoce los cuasiidentificadores de alguien encuentra al menos k registros que "
        "podrían ser suyos."
    ),
    "wb.model.k-anonymity.not": (
        "Si todos comparten un diagnóstico, se conoce. Añada l-diversidad o t-cercanía."
    ),
    "wb.model.alpha-k-anonymity": (
        "Como la k-anonimidad; y ningún valor sensible supera la proporción alfa de una clase."
    ),
    "wb.model.alpha-k-anonymity.not": (
        "Los valores raros pueden ser mucho más frecuentes que en la tabla."
    ),
    "wb.model.l-diversity": (
        "Cada clase tiene varios valores sensibles bien representados: el de nadie es seguro."
    ),
    "wb.model.l-diversity.not": (
        "Un valor puede ser mucho más probable que en la tabla, y valores distintos pueden "
        "significar lo mismo."
    ),
    "wb.model.t-closeness": (
        "En ninguna clase los valores sensibles difieren mucho de la tabla entera: pertenecer a "
        "una clase dice poco."
    ),
    "wb.model.t-closeness.not": "No fija el tamaño de las clases: combínela con k-anonimidad.",
    "wb.model.beta-likeness": "Ningún valor sensible se vuelve mucho más probable que en la tabla.",
    "wb.model.beta-likeness.not": (
        "Puede haber valores mucho menos probables. No fija el tamaño de las clases."
    ),
    "wb.model.delta-disclosure": (
        "Cada valor sensible sigue siendo casi tan probable como en la tabla."
    ),
    "wb.model.delta-disclosure.not": "Es difícil de cumplir y cuesta mucha información.",
    "wb.model.average-risk": (
        "De media, la probabilidad de hallar el registro de alguien está limitada."
    ),
    "wb.model.average-risk.not": (
        "Algunos registros pueden ser únicos: no se protege a personas concretas."
    ),
    "wb.model.sample-uniqueness": "Pocos registros son únicos en la tabla publicada.",
    "wb.model.sample-uniqueness.not": "Los que son únicos no están protegidos.",
    "wb.model.population-uniqueness": (
        "Según la estimación, pocos registros son únicos en la población."
    ),
    "wb.model.population-uniqueness.not": (
        "Es una estimación que toma la tabla por una muestra aleatoria."
    ),
    "wb.model.k-map": "Cada registro corresponde al menos a k personas de una tabla de población.",
    "wb.model.k-map.not": "Quien sabe que alguien está en la tabla aún puede hallar su registro.",
    "wb.model.delta-presence": (
        "Nadie puede estar seguro de que una persona de la población esté en la tabla."
    ),
    "wb.model.delta-presence.not": "No se miran los valores sensibles.",
    "wb.model.km-anonymity": (
        "Quien conoce hasta m elementos de una persona encuentra al menos k registros que podrían "
        "ser suyos."
    ),
    "wb.model.km-anonymity.not": (
        "No se miran los cuasiidentificadores, ni los elementos que todos esos registros comparten."
    ),
    "wb.model.k-km-anonymity": (
        "Cada clase tiene k registros, y en ella los elementos conocidos también tienen k."
    ),
    "wb.model.k-km-anonymity.not": (
        "Se conoce un elemento que todos los registros de una clase comparten. Las clases pequeñas "
        "pierden muchos elementos."
    ),
    "wb.model.differential-privacy": (
        "Lo que cualquiera aprende de la publicación lo aprendería casi igual si un registro "
        "cualquiera no estuviera en la tabla."
    ),
    "wb.model.differential-privacy.not": (
        "Se sigue aprendiendo lo que vale para muchas personas. Cada publicación más de la misma "
        "tabla suma su ε. Se omiten muchos registros, y ningún otro requisito puede acompañarlo."
    ),
    "wb.export.unseeded": (
        "Esto hace una tabla anonimizada con la misma política. La política no tiene semilla: los "
        "registros salen en otro orden, y lo que se sortea es distinto."
    ),
    "wb.algorithm.auto": (
        "Prueba segmentación, Mondrian y, en tablas pequeñas, k-member, y se queda con lo que "
        "pierde menos. La elección habitual."
    ),
    "wb.algorithm.mondrian": (
        "Corta la tabla una y otra vez. Rápido en cualquier tamaño; las clases no se solapan."
    ),
    "wb.algorithm.segmentation": "Ordena los registros y corta el orden. Pierde poco.",
    "wb.algorithm.full-domain": (
        "Generaliza todos los valores de una columna al mismo nivel. Para análisis que necesitan "
        "una sola escala."
    ),
    "wb.algorithm.local-recoding": (
        "Etiquetas de jerarquías, pero cada clase a su nivel: pierde menos que full-domain."
    ),
    "wb.algorithm.cell-suppression": (
        "Publica valores originales, con algunas celdas en blanco, como las oficinas de "
        "estadística."
    ),
    "wb.algorithm.mdav": (
        "Microagregación: los números siguen siendo números, la media de su clase."
    ),
    "wb.algorithm.ona": "Microagregación que mejora sus clases paso a paso.",
    "wb.algorithm.mona": "Como ona, para tablas grandes.",
    "wb.algorithm.kdtree": "Parte los registros en dos, una columna tras otra.",
    "wb.algorithm.k-member": (
        "Añade a una clase los registros más cercanos, uno a uno. Solo para tablas pequeñas."
    ),
    "wb.algorithm.kmeans": "Grupos de k-means; su tamaño depende de los datos.",
    "wb.algorithm.individual-ranking": (
        "Microagrega cada columna por separado. No da k-anonimidad de los registros."
    ),
}
