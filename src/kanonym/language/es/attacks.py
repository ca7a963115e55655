"""Attacks by their names in the JSON contract, and what is said of them."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "attack.homogeneity": "Homogeneidad",
    "attack.homogeneity.question": (
        "¿Qué valor sensible tiene una persona, donde coinciden todos los registros de la clase?"
    ),
    "attack.background-knowledge": "Conocimiento previo",
    "attack.background-knowledge.question": (
        "¿Qué valor sensible tiene una persona, si se pueden descartar algunos valores?"
    ),
    "attack.skewness": "Asimetría",
    "attack.skewness.question": (
        "¿El valor sensible de quién es mucho más probable en su clase que en toda la tabla?"
    ),
    "attack.similarity": "Similitud",
    "attack.similarity.question": (
        "¿Qué tipo de valor sensible tiene una persona, si los de una clase se parecen?"
    ),
    "attack.similarity-reidentification": "Reidentificación por similitud",
    "attack.similarity-reidentification.question": (
        "¿Qué clase se parece más a una persona, y revela el valor sensible?"
    ),
    "attack.unique-exact-matches": "Coincidencias exactas únicas",
    "attack.unique-exact-matches.question": (
        "¿Qué registro publicado tiene exactamente los valores de una persona que nadie comparte?"
    ),
    "attack.apparent-matches": "Coincidencias aparentes",
    "attack.apparent-matches.question": (
        "¿Qué persona y qué registro publicado son los únicos con los valores conocidos?"
    ),
    "attack.disco": "DiSCO",
    "attack.disco.question": (
        "¿Qué valor sensible tiene una persona, si coinciden todos los registros con exactamente "
        "los valores conocidos?"
    ),
    "attack.linkage": "Vinculación de registros",
    "attack.linkage.question": ("¿Qué registro publicado es el de una persona conocida?"),
    "attack.optimal-linkage": "Vinculación de registros, todas las personas a la vez",
    "attack.optimal-linkage.question": (
        "¿Qué registro publicado es de quién, si se empareja a todas las personas a la vez?"
    ),
    "attack.known-items": "Elementos conocidos",
    "attack.known-items.question": (
        "¿Qué registro publicado es el de una persona de la que se conocen algunos elementos?"
    ),
    "attack.linkability": "Vinculabilidad de dos fuentes",
    "attack.linkability.question": (
        "¿Qué entradas de dos fuentes con columnas distintas son de la misma persona?"
    ),
    "attack.singling-out": "Singularización",
    "attack.singling-out.question": (
        "¿Qué descripción encaja exactamente con una persona de la tabla?"
    ),
    "attack.inference": "Inferencia de atributos",
    "attack.inference.question": (
        "¿Qué valor tiene una persona en una columna que el intruso no conoce?"
    ),
    "attack.model-inference": "Inferencia de atributos por un modelo",
    "attack.model-inference.question": (
        "¿Qué valor predice para una persona un modelo entrenado con la tabla publicada?"
    ),
    "attack.membership": "Pertenencia",
    "attack.membership.question": "¿Está una persona conocida en la tabla?",
    "attack.intersection": "Intersección de dos publicaciones",
    "attack.intersection.question": (
        "¿Qué valor sensible tiene una persona, si se combinan dos publicaciones?"
    ),
    "attack.definetti": "Ataque de De Finetti",
    "attack.definetti.question": (
        "¿De quién es cada valor sensible de una clase, a juzgar por todas las clases?"
    ),
    "attack.minimality": "Minimalidad",
    "attack.minimality.question": (
        "¿Qué valor sensible tiene una persona, visto lo que el algoritmo no hizo?"
    ),
    "attack.downcoding": "Recodificación inversa",
    "attack.downcoding.question": "¿Qué valores exactos hay detrás de los publicados?",
    "attack.inference.question.of": "¿Qué {name} tiene una persona conocida?",
    "attack.skewness.question.of": (
        "¿De quién se adivina ahora {name} mejor que con toda la tabla?"
    ),
    "attack.homogeneity.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas, de {right} se sabe con "
        "certeza; por azar, de {chance}."
    ),
    "attack.background-knowledge.told": (
        "Conoce los cuasiidentificadores y algunos valores que la persona no tiene. De 100 "
        "personas conocidas, de {right} se sabe con certeza; por azar, de {chance}."
    ),
    "attack.skewness.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas acierta {right}; por azar, "
        "{chance}."
    ),
    "attack.similarity.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas, de {right} se sabe "
        "aproximadamente; por azar, de {chance}."
    ),
    "attack.similarity-reidentification.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas acierta {right}; por azar, "
        "{chance}."
    ),
    "attack.unique-exact-matches.told": (
        "Conoce los valores de todos. De 100 personas cuyos valores nadie comparte, un registro "
        "publicado tiene exactamente los de {right}; por azar, los de {chance}."
    ),
    "attack.apparent-matches.told": (
        "Conoce los cuasiidentificadores de todos. De 100 personas, {right} parecen corresponder a "
        "un solo registro publicado; por azar, {chance}."
    ),
    "attack.disco.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas, el valor de {right} es el "
        "único en los registros con exactamente esos valores; por azar, el de {chance}."
    ),
    "attack.linkage.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas, a {right} les encuentra su "
        "propio registro; por azar, a {chance}."
    ),
    "attack.optimal-linkage.told": (
        "Conoce los cuasiidentificadores de todos. De 100 personas, a {right} les encuentra su "
        "propio registro; por azar, a {chance}."
    ),
    "attack.known-items.told": (
        "Conoce algunos elementos de una persona. De 100 personas conocidas, {right} se vinculan "
        "con su propio registro; por azar, {chance}."
    ),
    "attack.linkability.told": (
        "Conoce unos cuasiidentificadores de una fuente y otros de otra. De 100 personas une bien "
        "{right}; por azar, {chance}."
    ),
    "attack.singling-out.told": (
        "No conoce a nadie: describe a alguien con todas las columnas publicadas, también las "
        "sensibles, que el k-anonimato no cubre. De 100 descripciones, {right} encajan con una "
        "sola persona; por azar, {chance}."
    ),
    "attack.inference.told": (
        "Conoce los cuasiidentificadores. De 100 personas conocidas acierta {right}; por azar, "
        "{chance}."
    ),
    "attack.model-inference.told": (
        "Conoce los cuasiidentificadores y entrena un modelo con la tabla publicada. De 100 "
        "personas conocidas acierta {right}; de 100 que no están en la tabla, {chance}."
    ),
    "attack.membership.told": (
        "Conoce los cuasiidentificadores. De 100 decisiones acierta {right}; por azar, {chance}."
    ),
    "attack.intersection.told": (
        "Conoce los cuasiidentificadores y una segunda publicación. De 100 personas conocidas, de "
        "{right} se sabe con certeza; por azar, de {chance}."
    ),
    "attack.definetti.told": (
        "Conoce los cuasiidentificadores de todos y reparte los valores de cada clase por "
        "semejanza. De 100 personas conocidas acierta {right}; por azar, {chance}."
    ),
    "attack.minimality.told": (
        "Conoce los cuasiidentificadores de todos y el algoritmo con sus parámetros. De 100 "
        "personas, de {right} se sabe con certeza; solo por las clases, de {chance}. No se cuenta "
        "lo que también puede haberse omitido al azar."
    ),
    "attack.downcoding.told": (
        "Conoce solo la publicación. De 100 valores generalizados acierta {right}; por azar, "
        "{chance}."
    ),
    "attacks.reading": (
        "Por azar: sin la publicación, o con personas que no están en la tabla. Por encima del "
        "azar: de los intentos que fallan por azar, la proporción que la publicación hace acertar; "
        "debajo, su intervalo del {confidence}."
    ),
    "attacks.chosen": "La tabla muestra el ataque con más éxito a cada pregunta.",
    "attacks.tried": "de {attempts}",
    "attacks.intro": (
        "Cada ataque se ejecutó sobre la publicación. Un intento acierta cuando lo que el intruso "
        "dice de una persona es verdad. El azar es lo que consigue el mismo intruso con personas "
        "que no están en la tabla (control) o, si no las hay, sin la publicación (referencia)."
    ),
    "attacks.note": (
        "Por encima del azar: (aciertos − azar) / (1 − azar), la proporción que acierta con la "
        "publicación entre los intentos que fallan por azar; con su intervalo de confianza del "
        "{confidence}. La publicación ayuda a un intruso cuando este intervalo está por encima de "
        "0."
    ),
    "attacks.figures": (
        "Acierta en el {rate} de {attempts}, por azar en el {chance}; por encima del azar: {risk} "
        "(de {low} a {high})."
    ),
    "attacks.finding.beyond": "La publicación ayuda a ese intruso.",
    "attacks.finding.none": "No se mostró ningún acierto por encima del azar.",
    "attacks.finding.baseline": (
        "No supera con seguridad a la referencia, que es otro ataque; solo un control (personas "
        "que no están en la tabla) mostraría si la publicación ayuda."
    ),
    "attacks.finding.control": (
        "Acierta más con el control que con la tabla: no son de la misma población, y no se sabe "
        "qué añade la publicación."
    ),
    "attacks.limit.kept": (
        "{title}: como máximo {most} por encima del azar; se respeta el límite del {limit}."
    ),
    "attacks.limit.exceeded": (
        "{title}: al menos {least} por encima del azar; se supera el límite del {limit}."
    ),
    "attacks.limit.undecided": (
        "{title}: de {least} a {most} por encima del azar; no está decidido si se respeta el "
        "límite del {limit}."
    ),
    "attacks.limit.undecided.control": (
        "El azar es el de otro ataque y no acota nada; un control (personas que no están en la "
        "tabla) puede decidirlo."
    ),
    "attacks.limit.undecided.attempts": "Más intentos pueden decidirlo.",
    "attacks.limit.not run": (
        "{title}: no se ejecutó, así que no se sabe si se respeta el límite del {limit}."
    ),
    "attacks.limit.not run.why": (
        "{title}: no se ejecutó, así que no se sabe si se respeta el límite del {limit} ({reason})."
    ),
    "attacks.none": (
        "No se ejecutó ningún ataque sobre esta publicación. Para ejecutarlos: `kanonym attack "
        "ORIGINAL RELEASED --policy POLICY`."
    ),
    "attacks.sizes": (
        "Probabilidad de que quien conoce los cuasiidentificadores de un registro de la tabla "
        "acierte cuál es:"
    ),
    "attacks.sizes.persons": (
        "Probabilidad de que quien conoce los cuasiidentificadores de un registro de una persona "
        "acierte quién es entre las personas de la clase (quien tiene varios registros es más "
        "fácil de encontrar):"
    ),
    "attacks.sizes.most": "como máximo",
    "attacks.sizes.mean": "de media",
    "attacks.sizes.blind": "al azar, sin saber nada",
    "attacks.untried": "{title}: no se ejecutó",
    "attacks.parts": "Partes",
    "attacks.part.rate": "{subject}",
    "attacks.part.named": "{subject}: nombradas bien",
    "attacks.part.claimed": "{subject}: se afirmó un valor",
    "attacks.part.baseline": "{subject}: sin la publicación",
    "attacks.part.control": "{subject}: con personas que no están en la tabla",
    "attacks.part.risk": "{subject}: por encima del azar",
    "attacks.part.attempts": "{subject}: descripciones probadas",
    "attacks.part.first release alone": "{subject}: solo con la primera publicación",
    "attacks.part.second release alone": "{subject}: solo con la segunda publicación",
    "attacks.part.values left": "{subject}: valores que siguen siendo posibles, de media",
    "attacks.part.alone": "hallados sin otro registro igual de cercano",
    "attacks.part.other values that agree": "otros valores de las coincidencias que son iguales",
    "attacks.part.in the original": "{subject}: si se publicara el original",
    "attacks.part.control_compatible": "personas de control a las que encaja alguna clase",
    "attacks.part.generalized": "celdas generalizadas",
    "attacks.part.minimal": "celdas nombradas de generalización mínima",
    "attacks.part.labels present": "celdas en las que aparecen todas las etiquetas de debajo",
    "attacks.part.counts known": "celdas en las que se conocen todos los números de debajo",
    "attacks.part.bits told": "lo que el algoritmo revela de las etiquetas de debajo",
    "attacks.part.fewer than l values": "personas a las que quedan menos de l valores",
    "attacks.part.claimed from dissolved classes": (
        "personas cuya clase por tamaño no se publicó, y cuyo valor se afirma"
    ),
    "attacks.part.right of the claimed": "afirmaciones acertadas",
    "attacks.part.right by the class alone": "afirmaciones que se acertarían solo por la clase",
    "attacks.part.RAPID": "{subject}: predicho con confianza (RAPID)",
    "attacks.part.RAPID of the control": (
        "{subject}: predicho con confianza (RAPID), personas que no están en la tabla"
    ),
    "attacks.part.sure": "{subject}: con más del 90 % de certeza",
    "attacks.part.sure by the class alone": (
        "{subject}: con más del 90 % de certeza solo por la clase"
    ),
    "attacks.part.advantage": "tasa de verdaderos positivos menos tasa de falsos positivos",
    "attacks.part.auc": "área bajo la curva ROC",
    "attacks.part.with sensitive values": "aciertos, si se conocen además valores sensibles",
    "attacks.part.advantage with sensitive values": (
        "tasa de verdaderos positivos menos tasa de falsos positivos, si se conocen además valores "
        "sensibles"
    ),
    "attacks.part.auc with sensitive values": (
        "área bajo la curva ROC, si se conocen además valores sensibles"
    ),
    "mode.univariate": "descripciones por una columna",
    "mode.multivariate": "descripciones por varias columnas",
    "mode.whole records": "descripciones por todas las columnas",
    "mode.multivariate one-sided": "descripciones por un extremo de los rangos",
    "attacks.kept": "Las primeras {shown} de {all} partes.",
    "interval": "de {low} a {high}",
}
