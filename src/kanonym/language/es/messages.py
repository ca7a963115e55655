"""Messages of the library, by their English template: reasons, verdicts of presets, advice."""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES: Mapping[str, str] = {
    "no model limits how well a person can be found: require k-anonymity": (
        "ningún modelo limita lo bien que se puede encontrar a una persona: exija k-anonimato"
    ),
    "no model protects {columns}: require l-diversity or t-closeness": (
        "ningún modelo protege {columns}: exija l-diversidad o t-cercanía"
    ),
    "no sensitive attribute is declared: declare what must not be learned about a person "
    "as sensitive, and require l-diversity or t-closeness": (
        "no se declara ningún atributo sensible: declare sensible lo que no debe averiguarse de "
        "una persona, y exija l-diversidad o t-cercanía"
    ),
    "the policy does not state it: set rows: persons if each row is a person, or else "
    "entity, the columns that tell persons apart": (
        "la política no lo dice: ponga rows: persons si cada fila es una persona, o bien entity, "
        "las columnas que distinguen a las personas"
    ),
    "{columns} tells whose rows are whose, and too few persons are alike in all rows": (
        "{columns} dice de quién es cada fila, y muy pocas personas coinciden en todas sus filas"
    ),
    "{models} does not hold": "{models} no se cumple",
    "{models}, by how the release was made": ("{models}, por cómo se hizo la publicación"),
    "{models}, with the persons that the manifest recorded": (
        "{models}, con las personas que registró el manifiesto"
    ),
    "{models}; what the algorithm refused is left to chance": (
        "{models}; lo que el algoritmo rechazó se deja al azar"
    ),
    "{models}; what the algorithm refused is not hidden from those who know it": (
        "{models}; lo que el algoritmo rechazó no se oculta a quien lo conoce"
    ),
    "{models}, counted in the released values": ("{models}, contado en los valores publicados"),
    "no record was released, so there is nothing that models could check": (
        "no se publicó ningún registro, así que no hay nada que los modelos puedan comprobar"
    ),
    "k counts the persons of {column}": "k cuenta las personas de {column}",
    "the policy states that each row is a person": "la política dice que cada fila es una persona",
    "each row of {table} is a person": "cada fila de {table} es una persona",
    "it is not known which persons are in several batches: give {column} and a key for each batch "
    "(person; --person COLUMN --person-key FILE)": (
        "no se sabe qué personas están en varias entregas: indique {column} y una clave en cada "
        "entrega (person; --person COLUMNA --person-key ARCHIVO)"
    ),
    "their column": "su columna",
    "persons are recognized in all batches by {column}": (
        "las personas se reconocen en todas las entregas por {column}"
    ),
    "{tables}: the policy says that nobody knows how many rows a person has there; "
    "whoever does finds {alone:,} persons alone in their class": (
        "{tables}: la política dice que nadie sabe cuántas filas tiene ahí una persona; quien lo "
        "sepa encuentra {alone} personas solas en su clase"
    ),
    "{reference} links rows of persons to rows of {table}: who is linked to whom is not "
    "counted, and can identify": (
        "{reference} enlaza filas de personas con filas de {table}: quién está enlazado con quién "
        "no se cuenta, y puede identificar"
    ),
    "{column} is in a key, repeats, and is insensitive, so that it does not count: "
    "whoever knows its values finds {alone:,} persons alone in their class": (
        "{column} está en una clave, se repite y es no sensible, por lo que no cuenta: quien "
        "conozca sus valores encuentra {alone} personas solas en su clase"
    ),
    "{low} was never after {high}, and is in the release: these dates do not move together": (
        "{low} nunca era posterior a {high}, y lo es en la publicación: estas fechas no se "
        "desplazan juntas"
    ),
    "{column} numbers rows and does not count: kanonym draws the numbers in random "
    "order; if others numbered the rows, the order can identify": (
        "{column} numera filas y no cuenta: kanonym sortea los números; si otros numeraron las "
        "filas, el orden puede identificar"
    ),
    "repeated rows are counted once: whoever knows how often a person's rows occur "
    "may find persons alone in their class": (
        "las filas repetidas se cuentan una vez: quien sepa cuántas veces aparecen las filas de "
        "una persona puede encontrar personas solas en su clase"
    ),
    "no sensitive attribute is in both tables": "ningún atributo sensible está en ambas tablas",
    "no sensitive attribute is a number or has a hierarchy of more than two levels": (
        "ningún atributo sensible es un número o tiene una jerarquía de más de dos niveles"
    ),
    "there is no person, or no quasi-identifier": "no hay personas, o no hay cuasi-identificadores",
    "released values are changed, not generalized": (
        "los valores publicados están cambiados, no generalizados"
    ),
    "no released record is consistent with a person's values": (
        "ningún registro publicado es compatible con los valores de una persona"
    ),
    "no person has a value of the secret": "ninguna persona tiene un valor del secreto",
    "column {secret!r} is not in both tables": "la columna {secret!r} no está en ambas tablas",
    "the algorithm that made the release is not known: give the Release, or the policy that leads "
    "to this table again": (
        "no se conoce el algoritmo que hizo la publicación: dé el objeto Release, o la política "
        "que lleva de nuevo a esta tabla"
    ),
    "there is no second release of the same persons": (
        "no hay una segunda publicación de las mismas personas"
    ),
    "the second release has no sensitive attribute of the same kind": (
        "la segunda publicación no tiene ningún atributo sensible del mismo tipo"
    ),
    "the original has no person": "el original no tiene personas",
    "the original has no record": "el original no tiene registros",
    "the release has no record": "la publicación no tiene registros",
    "the original has no records": "el original no tiene registros",
    "the release has no records": "la publicación no tiene registros",
    "the table has no record": "la tabla no tiene registros",
    "two tables need two quasi-identifiers at least": (
        "dos tablas necesitan al menos dos cuasi-identificadores"
    ),
    "the original and the release do not both have {names}": (
        "el original y la publicación no tienen ambos {names}"
    ),
    "it is unknown which released record belongs to whom, and released values are not those of the "
    "persons (means, noise, other persons): keep the order of the records, or give a control": (
        "no se sabe de quién es cada registro publicado, y los valores publicados no son los de "
        "las personas (medias, ruido, otras personas): conserve el orden de los registros, o dé "
        "un control"
    ),
    "the intruder knows no quasi-identifier": "el intruso no conoce ningún cuasi-identificador",
    "it is unknown which released record belongs to whom: keep the order of the records to judge "
    "this attack": (
        "no se sabe de quién es cada registro publicado: conserve el orden de los registros para "
        "juzgar este ataque"
    ),
    "no quasi-identifier is a number": "ningún cuasi-identificador es un número",
    "there is no sensitive attribute, and it is unknown which released record belongs to whom": (
        "no hay ningún atributo sensible, y no se sabe de quién es cada registro publicado"
    ),
    "give a control table: people who are not in the data": (
        "dé una tabla de control: personas que no están en los datos"
    ),
    "the release has no record, or no quasi-identifier": (
        "la publicación no tiene registros, o no tiene cuasi-identificadores"
    ),
    "the original and the control need two persons each, or more": (
        "el original y el control necesitan dos personas cada uno, o más"
    ),
    "the estimator predicts no probabilities: there is only right or wrong to attack by": (
        "el estimador no predice probabilidades: solo se puede atacar por acierto o error"
    ),
    "the original or the release has no record, or they share no column": (
        "el original o la publicación no tienen registros, o no comparten ninguna columna"
    ),
    "the original has one person: whatever fits it fits nobody else": (
        "el original tiene una sola persona: lo que encaja con ella no encaja con nadie más"
    ),
    "it is unknown which released records are of one person: give the Release, or a control of "
    "other persons": (
        "no se sabe qué registros publicados son de una misma persona: dé el objeto Release, o un "
        "control con otras personas"
    ),
    "there is no person, no record or no quasi-identifier": (
        "no hay personas, registros o cuasi-identificadores"
    ),
    "no sensitive attribute has at most {most} values: group them": (
        "ningún atributo sensible tiene como mucho {most} valores: agrúpelos"
    ),
    "the intruder knows no quasi-identifier, or the secret is in one table alone": (
        "el intruso no conoce ningún cuasi-identificador, o el secreto está en una sola tabla"
    ),
    "{name!r} has {n} categories, more than {most}: group them": (
        "{name!r} tiene {n} categorías, más de {most}: agrúpelas"
    ),
    "persons have several records each, and the estimators treat every record as a different "
    "person": (
        "las personas tienen varios registros, y los estimadores toman cada registro por una "
        "persona distinta"
    ),
    "the estimator has no estimate for these class sizes": (
        "el estimador no da ninguna estimación para estos tamaños de clase"
    ),
    "no quasi-identifier is given": "no se dio ningún cuasi-identificador",
    "records are alone in the table, but none on {largest} attributes or fewer, and sets of more "
    "were not looked for": (
        "hay registros únicos en la tabla, pero ninguno por {largest} atributos o menos, y no se "
        "buscaron conjuntos de más"
    ),
    "SUDA takes at most {most} quasi-identifiers": (
        "SUDA admite como máximo {most} cuasi-identificadores"
    ),
    "SUDA takes minutes and gigabytes of so many records; `largest` asks for it": (
        "con tantos registros SUDA tarda minutos y ocupa gigabytes; `largest` lo pide"
    ),
    "of more than {most:,} distinct records it takes minutes": (
        "con más de {most} registros distintos tarda minutos"
    ),
    "k-anonymity counts persons by {entity!r}, which the table lacks: give the release itself, or "
    "one with a pseudonym of it (action surrogate); records are no persons": (
        "el k-anonimato cuenta personas por {entity!r}, que la tabla no tiene: dé la propia "
        "publicación, o una con un seudónimo de esa columna (acción surrogate); los registros no "
        "son personas"
    ),
    "items are known, too, and a population table says nothing of them": (
        "también se saben elementos, y una tabla de la población no dice nada de ellos"
    ),
    "items are known, too, and the estimators see the quasi-identifiers alone": (
        "también se saben elementos, y los estimadores solo ven los cuasi-identificadores"
    ),
    "the items of {name!r} could not be counted, and quasi-identifiers alone tell less than an "
    "intruder may know: `verify` says why": (
        "no se pudieron contar los elementos de {name!r}, y los cuasi-identificadores solos dicen "
        "menos de lo que un intruso puede saber: `verify` dice por qué"
    ),
    "records with the same known items": "registros con los mismos elementos conocidos",
    "records": "registros",
    "persons": "personas",
    "persons of the population": "personas de la población",
    "the number of persons that the table is a sample of is needed": (
        "hace falta el número de personas de las que la tabla es una muestra"
    ),
    "the table has no record to be found": "la tabla no tiene ningún registro que encontrar",
    "the smallest number of {noun} in a class is {fewest}, a highest risk of {risk:.3g}; "
    "{smallest} is the least allowed ({quoted:g})": (
        "el menor número de {noun} en una clase es {fewest}, un riesgo máximo de {risk}; el "
        "mínimo permitido es {smallest} ({quoted})"
    ),
    "the population uniques were not estimated: {why}": (
        "no se estimaron los únicos de la población: {why}"
    ),
    "an estimated {share:.3g}% of the population are unique; at most {most:.3g}% may be": (
        "se estima que es único el {share} % de la población; se permite como máximo el {most} %"
    ),
    "HIPAA expert determination, by the cell size of CMS": (
        "HIPAA, determinación de un experto, según el tamaño de celda de CMS"
    ),
    "HIPAA expert determination, population uniqueness of Safe Harbor": (
        "HIPAA, determinación de un experto, únicos de la población según Safe Harbor"
    ),
    "European Medicines Agency, policy 0070": "Agencia Europea de Medicamentos, política 0070",
    "Health Canada, public release of clinical information": (
        "Health Canada, publicación de información clínica"
    ),
    "Beside Health Canada's: highly sensitive data": (
        "Junto al de Health Canada: datos muy sensibles"
    ),
    "Beside Health Canada's: trusted recipients, not the public": (
        "Junto al de Health Canada: destinatarios de confianza, no el público"
    ),
    "two columns": "dos columnas",
    "two columns of numbers or times": "dos columnas de números o fechas",
    "two columns of categories": "dos columnas de categorías",
    "column of categories and column of numbers or times": (
        "una columna de categorías y una de números o fechas"
    ),
    "the tables have no {columns} in common": "las tablas no tienen en común {columns}",
    "the tables have no column in common": "las tablas no tienen ninguna columna en común",
    "there is not a quasi-identifier": "no hay ningún cuasi-identificador",
    "the release has more records than the original: so it is not a generalization of the "
    "original": (
        "la publicación tiene más registros que el original: no es una generalización del original"
    ),
    "{name} is released with values that no record of the original has: what they stand for is "
    "known only where the rows of both tables are aligned": (
        "{name} se publica con valores que ningún registro del original tiene: solo se sabe qué "
        "representan si las filas de ambas tablas se corresponden"
    ),
    "{name} is released as one value per class ({recoding}): what it stands for is known only "
    "where the rows of both tables are aligned, or of a release object": (
        "{name} se publica como un valor por clase ({recoding}): solo se sabe qué representa si "
        "las filas de ambas tablas se corresponden, o con un objeto Release"
    ),
    "the classes of the release are not known": "no se conocen las clases de la publicación",
    "{name} is not released as labels of a hierarchy: it has no levels": (
        "{name} no se publica como etiquetas de una jerarquía: no tiene niveles"
    ),
    "no record is released, so that none has a level": (
        "no se publica ningún registro, así que ninguno tiene nivel"
    ),
    "the columns have no values": "las columnas no tienen valores",
    "the tables have fewer than two columns of numbers or times": (
        "las tablas tienen menos de dos columnas de números o fechas"
    ),
    "the original's columns of numbers are collinear or constant, or its records few": (
        "las columnas numéricas del original son colineales o constantes, o hay pocos registros"
    ),
    "the tables have no column of numbers or times": (
        "las tablas no tienen ninguna columna de números o fechas"
    ),
    "the real table": "la tabla real",
    "the other table": "la otra tabla",
    "{table} has {records} records: too few for {folds} folds": (
        "{table} tiene {records} registros: demasiado pocos para {folds} particiones"
    ),
    "records are equal to so few others that no fold has some of both tables": (
        "los registros son iguales a tan pocos otros que ninguna partición tiene de ambas tablas"
    ),
    "the original's other columns do not predict {target!r}": (
        "las demás columnas del original no predicen {target!r}"
    ),
    "the tables have no column {target!r} in common": (
        "las tablas no tienen en común la columna {target!r}"
    ),
    "the tables have no column besides {target!r} to learn from": (
        "las tablas no tienen, aparte de {target!r}, ninguna columna de la que aprender"
    ),
    "{target!r} has {values} values: too few for {folds} folds": (
        "{target!r} tiene {values} valores: demasiado pocos para {folds} particiones"
    ),
    "{target!r} has the same value everywhere": "{target!r} tiene el mismo valor en todas partes",
    "{target!r} has {distinct} categories, more than {most}": (
        "{target!r} tiene {distinct} categorías, más de {most}"
    ),
    "the original has no column of several values": (
        "el original no tiene ninguna columna con varios valores"
    ),
    "it is unknown which original record each released record was: keep the order, and declare the "
    "tables aligned": (
        "no se sabe qué registro original fue cada registro publicado: conserve el orden y declare "
        "que las tablas se corresponden"
    ),
    "no column holds sets of items": "ninguna columna tiene conjuntos de elementos",
    "no column holds sets of items in both tables": (
        "ninguna columna tiene conjuntos de elementos en ambas tablas"
    ),
    "the original has no item": "el original no tiene ningún elemento",
    "no record has two items": "ningún registro tiene dos elementos",
    "items have labels of several levels, and it is unknown which original record each released "
    "record was": (
        "los elementos tienen etiquetas de varios niveles, y no se sabe qué registro original era "
        "cada registro publicado"
    ),
    "no column holds numbers in both tables": "ninguna columna tiene números en ambas tablas",
    "no numeric column that varies in the original": (
        "ninguna columna numérica varía en el original"
    ),
    "fewer than two records have a number in every column": (
        "menos de dos registros tienen un número en todas las columnas"
    ),
    "all records without a null are equal": "todos los registros sin valores nulos son iguales",
    "no column holds categories": "ninguna columna tiene categorías",
    "holds what is no number, date, text or category": (
        "contiene algo que no es número, fecha, texto ni categoría"
    ),
    "has numbers that are infinite or beyond ±{largest:g}": (
        "tiene números infinitos o mayores de ±{largest:g}"
    ),
    "Identifiers, which are dropped": "Identificadores, que se eliminan",
    "Quasi-identifiers, which are recoded": "Cuasi-identificadores, que se recodifican",
    "Sensitive attributes, which are released unchanged": (
        "Atributos sensibles, que se publican sin cambios"
    ),
    "{what}: {names}.": "{what}: {names}.",
    "{names} and {more} more": "{names} y {more} más",
    "k is {k}: every record looks like at least {others} others. Before anonymization, "
    "{uniques:,} of its {rows:,} records are unique in their quasi-identifiers.": (
        "k es {k}: cada registro se parece al menos a otros {others}. Antes de anonimizar, "
        "{uniques} de los {rows} registros son únicos en sus cuasi-identificadores."
    ),
    "There is no requirement for {name}: all records have the same value.": (
        "No hay requisito para {name}: todos los registros tienen el mismo valor."
    ),
    "In every class, the values of {attribute} are distributed similarly to the whole table "
    "(t-closeness of at most {required:g}): most records share one value, so l-diversity would "
    "require almost nothing.": (
        "En cada clase, los valores de {attribute} se distribuyen de forma parecida a la tabla "
        "entera (t-cercanía de {required} como máximo): la mayoría de los registros comparten un "
        "valor, así que la l-diversidad no exigiría casi nada."
    ),
    "In every class, {attribute} has at least {required:g} distinct values: the class alone does "
    "not disclose it.": (
        "En cada clase, {attribute} tiene al menos {required} valores distintos: la clase por sí "
        "sola no lo revela."
    ),
    "In every class, the values of {attribute} are mixed (entropy l-diversity of at least "
    "{required:g}): with 2 distinct values required, all but one record could have the same "
    "value.": (
        "En cada clase, los valores de {attribute} están mezclados (l-diversidad de entropía de al "
        "menos {required}): si solo se exigieran 2 valores distintos, todos los registros menos "
        "uno podrían tener el mismo valor."
    ),
    ", where others lose more or as much ({others})": (
        ", mientras que otros pierden más o lo mismo ({others})"
    ),
    "The algorithm is {label}: its release loses {loss:.3f} of the detail of the quasi-identifiers "
    "(span loss, 0 nothing to 1 everything){compared}.": (
        "El algoritmo es {label}: su publicación pierde {loss} del detalle de los "
        "cuasi-identificadores (pérdida de amplitud, de 0 nada a 1 todo){compared}."
    ),
    "It has {classes:,} classes, the smallest of {k:,} records, and suppresses {suppressed:,} "
    "records.": (
        "Tiene {classes} clases, la más pequeña de {k} registros, y suprime {suppressed} registros."
    ),
    "{label} produced no release: {reason}.": "{label} no produjo ninguna publicación: {reason}.",
    "{choice} {result}": "{choice} {result}",
    "The algorithms were compared on {sample:,} of the {rows:,} records; the release of all of "
    "them was made and verified by this one alone.": (
        "Los algoritmos se compararon con {sample} de los {rows} registros; la publicación de "
        "todos la hizo, verificada, este solo."
    ),
    "Values do not show what a column means: check the role of every column before using the "
    "policy.": (
        "Los valores no muestran qué significa una columna: compruebe el papel de cada columna "
        "antes de usar la política."
    ),
}
