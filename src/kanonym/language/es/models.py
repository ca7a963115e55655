"""What each privacy model asks, and what a search found."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "requirement.k-anonymity": (
        "Cada registro debe ser igual, como mínimo, a {others}: cada clase tiene al menos "
        "{records}."
    ),
    "requirement.k-anonymity.entity": (
        "Cada registro debe ser igual, como mínimo, a los de {others}: cada clase tiene registros "
        "de al menos {persons}, identificadas por «{attribute}»."
    ),
    "requirement.alpha-k-anonymity": (
        "Cada clase tiene al menos {k} registros, y ningún valor de «{attribute}» supera el "
        "{share} de una clase."
    ),
    "requirement.l-diversity.distinct": (
        "En cada clase, «{attribute}» toma al menos {asked} valores distintos."
    ),
    "requirement.l-diversity.entropy": (
        "En cada clase, «{attribute}» es al menos tan variado como {asked} valores igual de "
        "frecuentes."
    ),
    "requirement.l-diversity.recursive": (
        "En cada clase, el valor más frecuente de «{attribute}» tiene menos registros que {asked} "
        "veces los del {rank} valor más frecuente y de todos los más raros juntos."
    ),
    "requirement.t-closeness": (
        "En cada clase, la distribución de «{attribute}» es cercana a la de toda la tabla: a una "
        "distancia de {asked} como máximo, en una escala de 0 (igual) a 1."
    ),
    "requirement.t-closeness.largest-difference": (
        "En cada clase, la proporción de cada valor de «{attribute}» difiere en {asked} como "
        "máximo de la que tiene en toda la tabla."
    ),
    "requirement.t-closeness.kullback-leibler": (
        "En cada clase, la divergencia de Kullback-Leibler de la distribución de «{attribute}» "
        "respecto a la de toda la tabla es de {asked} como máximo; 0 es la misma."
    ),
    "requirement.beta-likeness.basic": (
        "En ninguna clase un valor de «{attribute}» es más de {times} veces tan frecuente como en "
        "toda la tabla."
    ),
    "requirement.beta-likeness.enhanced": (
        "En ninguna clase un valor de «{attribute}» es más de {times} veces tan frecuente como en "
        "toda la tabla; para los valores frecuentes el límite es menor."
    ),
    "requirement.delta-disclosure": (
        "En cada clase, todo valor de «{attribute}» que aparece es menos de {times} veces tan "
        "frecuente como en toda la tabla, y más de 1/{times} veces."
    ),
    "requirement.average-risk": (
        "De media sobre todos los registros, la probabilidad de acertar el registro de una persona "
        "es como máximo el {share}: las clases son como máximo el {share} de los registros."
    ),
    "requirement.sample-uniqueness": (
        "Como máximo el {share} de los registros están solos en su clase."
    ),
    "requirement.population-uniqueness": (
        "La tabla se considera una muestra aleatoria de {population}. Según la estimación, como "
        "máximo el {share} de ellas son únicas por sus cuasiidentificadores."
    ),
    "requirement.k-map": "Cada registro coincide con al menos {persons} de la población.",
    "requirement.delta-presence": (
        "Quien encuentra a una persona en la población puede deducir con una probabilidad de como "
        "máximo el {share} que su registro está publicado."
    ),
    "requirement.delta-presence.between": (
        "Quien encuentra a una persona en la población puede deducir con una probabilidad de entre "
        "el {least} y el {share} que su registro está publicado."
    ),
    "requirement.km-anonymity": (
        "Quien conoce hasta {items} de una persona encuentra al menos {records} que podrían ser "
        "suyos."
    ),
    "requirement.k-km-anonymity": (
        "Cada clase tiene al menos {records}, y quien conoce la clase de una persona y hasta "
        "{items} suyos encuentra en ella al menos otros tantos que podrían ser suyos."
    ),
    "requirement.differential-privacy": (
        "La publicación es diferencialmente privada con ε = {asked} y δ = {delta}: lo que "
        "cualquiera aprende de ella lo aprendería casi igual sin un {unit} cualquiera."
    ),
    "requirement.other": "Se exige el modelo {type} con el valor {asked}.",
    "requirement.other.of": "Se exige el modelo {type} sobre «{attribute}» con el valor {asked}.",
    "requirement.shared": (
        "En una clase, el {share} de los registros comparte un valor de «{attribute}»."
    ),
    "symbol.risk": "riesgo",
    "symbol.share": "proporción",
    "nothing": "No se fijó ningún requisito, así que no se garantiza nada.",
    "class": (
        "Los cuasiidentificadores son las columnas que alguien puede conocer de una persona. Todos "
        "los registros publicados que coinciden en ellas forman una clase: nadie puede "
        "distinguirlos solo por esas columnas."
    ),
    "counting.wildcard": "una celda suprimida (vacía) cuenta como cualquier valor",
    "counting.subsets": (
        "cada combinación de {subsets} cuasiidentificadores se comprueba por separado"
    ),
    "counting": (
        "Para el requisito, {ways}. Las clases y probabilidades de este informe toman una celda "
        "vacía por un valor propio, y todos los cuasiidentificadores juntos."
    ),
    "search.found": (
        "El nodo elegido tiene una puntuación de {score} según la métrica «{metric}»; menos es "
        "mejor."
    ),
    "search.given": "Los niveles estaban dados: no hizo falta buscar.",
    "search.optimal": (
        "Ningún otro de los {nodes} del retículo que cumplen la política puntúa menos."
    ),
    "search.partial": "No se comprobaron todos los {nodes} del retículo.",
    "search.looked": "De los {nodes} del retículo se comprobaron {checked}.",
    "search.stopped": "El usuario detuvo la búsqueda.",
    "search.gap": (
        "No está demostrado que este sea el mejor: otro puede puntuar hasta {gap} menos, pero "
        "ninguno menos de {bound}."
    ),
    "choice.note": (
        "El nivel 0 deja los valores como son; el más alto es «*». Más fino y más grueso: la misma "
        "publicación con ese único nivel cambiado y con todos los registros de las clases que "
        "fallan suprimidos. Un nivel más fino conserva más de su atributo, pero puede que haya que "
        "suprimir más registros, o demasiados."
    ),
}
