"""Answer, price, limits, and the three questions of data protection."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "verdict.satisfied": (
        "Se cumple el requisito elegido",
        "Se cumplen los {requirements} requisitos elegidos",
    ),
    "verdict.satisfied.two": "Se cumplen los dos requisitos elegidos",
    "verdict.satisfied.note": (
        "No es un dictamen jurídico de anonimato: vea qué puede hacer aún un intruso (3)"
    ),
    "verdict.findings": (
        "pero hay un hallazgo: léalo antes de publicar",
        "pero hay {findings} hallazgos: léalos antes de publicar",
    ),
    "verdict.not-assessed.note": "pero no se evaluó todo: véase abajo",
    "part.identity": "Identidad",
    "part.identity.question": "¿Se puede encontrar a una persona en la tabla?",
    "part.attributes": "Atributos",
    "part.attributes.question": "¿Qué se averigua de una persona?",
    "part.persons": "Personas",
    "part.persons.question": "¿Se contaron personas?",
    "part.checked": "comprobado",
    "part.by construction": "por construcción",
    "part.not assessed": "no evaluado",
    "part.violated": "incumplido",
    "verdict.failed": "Política NO cumplida",
    "verdict.failed.note": "no publique esta tabla",
    "verdict.not-private": "NO es privada: se dio una semilla",
    "verdict.not-private.note": "no publique esta tabla",
    "verdict.none": "No se fijó ningún requisito",
    "verdict.none.note": "compruebe la clase más pequeña antes de publicar",
    "verdict.empty": "No se publicó ningún registro",
    "verdict.attacked": "pero un ataque supera su límite: no publique esta tabla tal como está",
    "verdict.attacks.unset": "Ataques: no se fijó ningún límite",
    "verdict.attacks.unset.note": (
        "No hay veredicto sobre lo que consiguen los intrusos; una política fija límites con "
        "attack_limits"
    ),
    "verdict.attacks.unset.untried.note": (
        "Tampoco se ejecutó ningún ataque; una política fija límites con attack_limits"
    ),
    "verdict.attacks.kept": (
        "Ataques: se respeta el límite",
        "Ataques: se respetan los {limits} límites",
    ),
    "verdict.attacks.exceeded": (
        "Ataques: se supera el límite",
        "Ataques: se supera algún límite",
    ),
    "verdict.attacks.undecided": "Ataques: sin decidir",
    "verdict.attacks.not run": "Ataques: sin evaluar",
    "verdict.attacks.note": (
        "Límites de la política, juzgados por intervalos de confianza del {confidence}"
    ),
    "verdict.attacks.others": (
        "{note}; otro ataque no tiene límite",
        "{note}; otros {others} ataques no tienen límite",
    ),
    "question": (
        "¿Cumple la tabla publicada sus requisitos, qué puede averiguar aún alguien y qué se "
        "perdió?"
    ),
    "answer.satisfied": (
        "Sí: se cumple el requisito.",
        "Sí: se cumplen los {requirements} requisitos.",
    ),
    "answer.satisfied.two": "Sí: se cumplen los dos requisitos.",
    "answer.failed": "No: la tabla publicada NO cumple su política. No la publique.",
    "answer.not-private": (
        "No: se dio una semilla, así que lo sorteado se puede repetir y no se promete nada. No "
        "publique esta tabla."
    ),
    "answer.findings": (
        "Pero hay un hallazgo: el requisito por sí solo no protege a todas las personas.",
        "Pero hay {findings} hallazgos: los requisitos solos no protegen a todas las personas.",
    ),
    "answer.not-assessed": (
        "Pero no se evaluó todo: las partes del veredicto dicen qué hay que responder."
    ),
    "answer.none": (
        "No se fijó ningún requisito, así que no se garantiza nada. La publicación resulta ser "
        "{smallest}-anónima."
    ),
    "answer.empty": (
        "No se publicó ningún registro: no hay nada que averiguar ni nada que aprovechar."
    ),
    "answer.checked": "Se comprobó en los propios valores publicados.",
    "answer.constructed": (
        "Los valores publicados se comprobaron en lo que muestran; que los registros se sortearon "
        "se apoya en cómo se hizo la publicación."
    ),
    "answer.classes": (
        "El registro publicado forma {classes}; la menor tiene {smallest}.",
        "Los {records} publicados forman {classes}; la menor tiene {smallest}.",
    ),
    "answer.chance": (
        "Quien conoce todos los cuasiidentificadores de un registro de la tabla acierta cuál es "
        "con una probabilidad de como máximo {highest}, {average} de media; sin saber nada, sería "
        "{blind}."
    ),
    "answer.chance.persons": (
        "Quien conoce todos los cuasiidentificadores de un registro de una persona acierta quién "
        "es entre las personas de la clase con una probabilidad de como máximo {highest}, "
        "{average} de media. Quien tiene varios registros es más fácil de encontrar."
    ),
    "answer.chance.items": (
        "Quien conoce hasta {items} de una persona de la tabla, y los cuasiidentificadores en la "
        "medida en que el requisito los cubre, acierta su registro con una probabilidad de como "
        "máximo {highest}; sin saber nada, sería {blind}."
    ),
    "answer.found.items": (
        "Quien conoce tantos elementos de una persona de la tabla como supone el requisito acierta "
        "su registro con una probabilidad de como máximo {highest}; sin saber nada, {blind}."
    ),
    "answer.found": (
        "Quien conoce los cuasiidentificadores de un registro de la tabla acierta cuál es con una "
        "probabilidad de como máximo {highest}; sin saber nada, {blind}."
    ),
    "answer.found.persons": (
        "Quien conoce los cuasiidentificadores de un registro de una persona acierta quién es "
        "entre las personas de la clase con una probabilidad de como máximo {highest}. Quien tiene "
        "varios registros es más fácil de encontrar."
    ),
    "answer.attacked": (
        "De {attacks}, {number} supera con seguridad el azar.",
        "De {attacks}, {number} superan con seguridad el azar.",
    ),
    "answer.attacked.none": "Ninguno de {attacks} supera con seguridad el azar.",
    "answer.unknown": "De {number} no se sabe si la publicación ayuda.",
    "answer.clearest": "El más claro es «{title}». {told}",
    "answer.lost": "Un valor publicado abarca, de media, el {share} del rango de su columna.",
    "price.none": "La tabla original no tiene ningún registro.",
    "price.suppressed": (
        "Se suprimió {suppressed} de {records} ({share}); se permitía suprimir el {limit}.",
        "Se suprimieron {suppressed} de {records} ({share}); se permitía suprimir el {limit}.",
    ),
    "price.sampled": (
        "Quedó fuera {suppressed} de {records} ({share}): no sorteado, o de una clase pequeña.",
        "Quedaron fuera {suppressed} de {records} ({share}): no sorteados, o de clases pequeñas.",
    ),
    "price.complete": "No se suprimió ningún registro: los {rows} están en la publicación.",
    "price.lost": (
        "Un valor publicado de un cuasiidentificador abarca, de media, el {share} del rango de su "
        "columna (0 %: exacto; 100 %: sin información)."
    ),
    "price.items": (
        "De media, un elemento perdió el {share} de su jerarquía (0 %: publicado tal cual; 100 %: "
        "eliminado)."
    ),
    "price.emptied": (
        "{records} registro se queda sin elementos.",
        "{records} registros se quedan sin elementos.",
    ),
    "price.columns": "Columna por columna: {columns}.",
    "price.column": "{name} {share}",
    "price.uncounted": "No se cuentan aquí: {names}.",
    "price.blanked": (
        "Quedaron en blanco {cells} de {every} de cuasiidentificadores ({share}); todas las demás "
        "tienen su valor original."
    ),
    "price.error": (
        "Con la media de su clase en lugar de cada valor, el error cuadrático de los registros es "
        "el {error} % del que tendría una sola media para todos."
    ),
    "price.least_error": ("Ninguna otra división en clases del tamaño exigido baja del {bound} %."),
    "price.dropped": "las columnas eliminadas ({names})",
    "price.kept": "las columnas sensibles ({names})",
    "inside": "Interno: no publique este informe.",
    "inside.note": "Muestra distribuciones de la tabla original junto a las publicadas.",
    "limit.shared": "Valores que comparte una clase",
    "limit.shared.unprotected": (
        "No se fijó ningún requisito para {names}. Donde todos los registros de una clase tienen "
        "el mismo valor, se revela el de todas las personas de la clase."
    ),
    "limit.shared.none": (
        "No se declaró sensible ningún atributo, así que solo se comprobó el tamaño de las clases."
    ),
    "limit.other": "Otros conocimientos",
    "limit.other.text": ("Se supone que un intruso conoce, como mucho, los cuasiidentificadores."),
    "limit.other.insensitive": (
        "Si alguien puede consultar alguno de {names}, que ningún requisito protege, la "
        "protección no vale."
    ),
    "limit.ruling": "Descartar valores",
    "limit.ruling.text": (
        "Quien puede descartar algunos valores de una persona aprende de una clase más de lo que "
        "dicen estas cifras. Esto no es privacidad diferencial."
    ),
    "limit.being": "Pertenencia a la tabla",
    "limit.being.text": "La publicación no oculta que una persona está en la tabla.",
    "limit.releases": "Varias publicaciones",
    "limit.releases.text": (
        "Dos publicaciones sobre las mismas personas se pueden combinar y entonces protegen menos."
    ),
    "limit.records": "Varios registros por persona",
    "limit.records.text": (
        "Un registro cuenta como una persona: los registros de una sola pueden llenar una clase."
    ),
    "limit.records.entity": (
        "El k-anonimato, las probabilidades de aquí y los ataques cuentan las personas "
        "identificadas por «{attribute}». El tamaño de las clases cuenta registros."
    ),
    "limit.holder": "Este informe",
    "limit.holder.text": (
        "Sus cifras dependen de los registros y no son parte de la promesa. Guárdelo y publique en "
        "su lugar el informe público (`kanonym anonymize --public-report`)."
    ),
    "limit.groups": "Hechos sobre grupos",
    "limit.groups.text": (
        "Lo que es cierto de muchas personas sigue visible, y puede deducirse de una persona esté "
        "o no en la tabla."
    ),
    "limit.records.one": "Varios registros por persona",
    "limit.records.one.text": (
        "Se protege un registro. Para una persona con m registros, el ε efectivo es m veces mayor."
    ),
    "limit.persons.one": "Un registro por persona",
    "limit.persons.one.text": (
        "Como máximo participó un registro de cada persona, así que se protege a las personas."
    ),
    "limit.budget": "Otras publicaciones",
    "limit.budget.text": (
        "Quien tiene varias publicaciones de la misma tabla tiene la suma de sus ε y δ; el libro "
        "de cuentas las suma. Probar ajustes y quedarse con el mejor resultado cuesta lo mismo que "
        "publicarlos todos."
    ),
    "limit.tried": "Los ataques",
    "limit.tried.text": (
        "Los ataques muestran lo que consiguen estos intrusos con el conocimiento que se les da. "
        "Que fallen no demuestra nada sobre otros más listos; los intervalos (confianza del "
        "{confidence}) solo muestran cuánto puede haber movido el azar las cifras."
    ),
    "limit.untried": (
        "No se ejecutó ningún ataque, así que las probabilidades se basan solo en el tamaño de las "
        "clases."
    ),
    "limit.loss": "La pérdida",
    "limit.loss.text": (
        "La pérdida mide lo anchos que son los valores publicados. Si un análisis da aún la misma "
        "respuesta hay que probarlo con ese análisis."
    ),
    "limit.law": "La ley",
    "limit.law.text": (
        "Si esto es jurídicamente anónimo depende de quién lo recibe y de qué más tiene. Las "
        "cifras son indicios para esa valoración."
    ),
    "limits.short": "No cubierto: {headings}. Los motivos están en «{section}».",
    "gdpr.intro": (
        "Las autoridades de protección de datos de la Unión Europea hacen tres preguntas sobre los "
        "datos anonimizados (Grupo de Trabajo del Artículo 29, Dictamen 05/2014, WP 216, "
        "apartado 3). Las cifras son lo que consiguieron los ataques con esta publicación; donde "
        "no se probó ninguno, lo que se sigue del tamaño de las clases."
    ),
    "gdpr.singling-out": "Singularización",
    "gdpr.singling-out.question": "¿Puede alguien aislar los registros de una persona?",
    "gdpr.singling-out.sizes": (
        "Ningún registro publicado está solo en su clase: la clase más pequeña tiene {smallest}."
    ),
    "gdpr.singling-out.persons": (
        "Nadie tiene una clase para sí: la clase más pequeña tiene registros de {smallest}."
    ),
    "gdpr.singling-out.alone": (
        "Sí: algunos registros publicados están solos en su clase y se pueden aislar por los "
        "cuasiidentificadores."
    ),
    "gdpr.linkability": "Vinculabilidad",
    "gdpr.linkability.question": (
        "¿Puede alguien vincular registros de una misma persona, en esta tabla o en otra?"
    ),
    "gdpr.linkability.sizes": (
        "Solo por el tamaño de las clases, quien conoce los cuasiidentificadores de un registro de "
        "la tabla acierta cuál es con una probabilidad de como máximo {highest}, {average} de "
        "media."
    ),
    "gdpr.linkability.persons": (
        "Solo por el tamaño de las clases, quien conoce los cuasiidentificadores de un registro de "
        "una persona acierta quién es entre las personas de la clase con una probabilidad de como "
        "máximo {highest}, {average} de media. Quien tiene varios registros es más fácil de "
        "encontrar."
    ),
    "gdpr.inference": "Inferencia",
    "gdpr.inference.question": (
        "¿Puede alguien deducir el valor de un atributo con una probabilidad significativa?"
    ),
    "gdpr.inference.protected": (
        "Todas las clases cumplen requisitos sobre {names}: limitan lo que revela una clase, pero "
        "no lo reducen a nada."
    ),
    "gdpr.inference.unprotected": (
        "Ningún requisito limita lo que una clase revela de {names}: una clase cuyos registros "
        "tienen el mismo valor lo revela."
    ),
    "gdpr.inference.none": (
        "No se declaró sensible ningún atributo, así que no se comprobó lo que una clase revela de "
        "los demás."
    ),
    "gdpr.untried": "No se ejecutó ningún ataque de este tipo; `kanonym attack` los ejecuta.",
    "gdpr.empty": "No se publicó nada.",
}
