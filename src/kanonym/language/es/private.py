"""The public report on a release under differential privacy."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "private.title": "Publicación con privacidad diferencial",
    "private.kept": "Privacidad diferencial por construcción",
    "private.kept.note": "ε = {epsilon}, δ = {delta}; se protege: un {unit}",
    "private.void": "NO es privada: se dio una semilla",
    "private.void.note": "lo sorteado se puede repetir, así que no se promete nada",
    "private.audience": (
        "Este informe puede acompañar a la publicación: sus cifras son parámetros públicos y no "
        "dependen de los registros."
    ),
    "private.meaning": "Qué se promete",
    "private.meaning.text": (
        "Lo que cualquiera aprende de una persona con esta tabla lo aprendería casi igual si el "
        "{unit} no estuviera: cualquier conclusión se vuelve como máximo {odds} veces más "
        "probable, o menos probable, salvo con una probabilidad de {chance}."
    ),
    "private.void.text": (
        "Una semilla repite lo sorteado. Se usaron los parámetros de abajo, pero no prometen nada."
    ),
    "private.record": "registro",
    "private.person": "registro de la persona",
    "private.whatever": (
        "Vale sepa lo que sepa un intruso, ahora o más tarde, también de todas las demás personas."
    ),
    "private.together": (
        "Junto con otras publicaciones de la misma tabla vale si se suman sus ε y δ."
    ),
    "private.about-groups": (
        "No promete ocultar hechos sobre grupos: lo que es cierto de muchas personas puede "
        "deducirse de una persona esté o no en la tabla."
    ),
    "private.small": "No promete exactitud: los grupos pequeños faltan en la publicación.",
    "private.scale": (
        "Valores de ε usados en otros sitios, como escala y no como recomendación: Estados Unidos "
        "usó alrededor de 17 a 20 para las personas del censo de 2020."
    ),
    "private.several": (
        "Se protege un registro. Una persona con m registros tiene m veces el ε, así que es una "
        "promesa a las personas solo si cada una tiene un registro."
    ),
    "private.one-each": (
        "Como máximo participó un registro de cada persona: se protege a las personas."
    ),
    "private.parameters": "Parámetros",
    "private.head.parameter": "parámetro",
    "private.head.value": "valor",
    "private.head.meaning": "significado",
    "private.epsilon": "cuánto puede mostrar un solo registro, en total",
    "private.delta": "la probabilidad con que puede mostrar más",
    "private.search": "la parte de ε con que se sortearon los niveles",
    "private.beta": "la probabilidad con que se sorteó cada registro",
    "private.k": "se dejaron fuera las clases con menos registros sorteados",
    "private.made": "Cómo se hizo",
    "private.made.levels.named": (
        "Cada atributo tiene un nivel de su jerarquía, elegido sin mirar la tabla."
    ),
    "private.made.levels.drawn": (
        "Cada atributo tiene un nivel de su jerarquía. Los niveles se sortearon con el mecanismo "
        "exponencial entre todos los nodos, con la parte de ε indicada arriba."
    ),
    "private.made.sample": (
        "Cada registro se sorteó con probabilidad β, por separado, con la fuente aleatoria del "
        "sistema."
    ),
    "private.made.classes": (
        "Los registros con valores iguales forman una clase. Faltan las clases con menos de k "
        "registros sorteados y todos los registros no sorteados."
    ),
    "private.public": "Qué era público de antemano",
    "private.public.text": (
        "Estas jerarquías son parte del mecanismo. Un valor que no figura en ellas se publica como "
        "la raíz; una celda vacía tiene su propia rama."
    ),
    "private.head.level": "nivel",
    "private.head.hierarchy": "jerarquía",
    "private.level": "{level} de {highest}",
    "private.listed": "{n} valores enumerados",
    "private.verified": "Qué se comprobó",
    "private.verified.text": (
        "En los valores publicados: cada clase tiene al menos k registros, cada columna tiene las "
        "etiquetas de un solo nivel y no hay otra columna."
    ),
    "private.unverified.text": (
        "Los valores publicados no pueden mostrar que los registros se sortearon, que nadie puede "
        "repetir el sorteo, ni que las jerarquías, los niveles y los parámetros se eligieron sin "
        "mirar la tabla. De esto responde quien publica."
    ),
    "private.others": "Otras publicaciones de la misma tabla",
    "private.others.known": (
        "Según su libro de cuentas, es la única de la tabla: ε = {epsilon}, δ = {delta}.",
        "Según su libro de cuentas, hay {releases} de la tabla: juntas ε = {epsilon}, δ = {delta}.",
    ),
    "private.others.rho": "Con las tablas sintéticas: juntas ε = {epsilon} con δ = {delta}.",
    "private.others.unknown": (
        "No se llevó un libro de cuentas: aquí no se sabe qué más se publicó."
    ),
    "private.synthetic.title": "Tabla sintética con privacidad diferencial",
    "private.records": "conjunto de los registros de la persona",
    "private.some-each": (
        "Como máximo participaron {most} registros de cada persona: se protegen todos juntos."
    ),
    "private.noise": (
        "No promete exactitud: los recuentos llevan ruido, y los de grupos pequeños son sobre todo "
        "ruido."
    ),
    "private.rho": "lo mismo como privacidad diferencial concentrada (zCDP)",
    "private.made.noise": (
        "Los registros se contaron por unas pocas columnas a la vez, y a cada recuento se añadió "
        "ruido: la distribución gaussiana discreta, sorteada exactamente con la fuente aleatoria "
        "del sistema."
    ),
    "private.made.model.aim": (
        "Método AIM: una y otra vez se sortearon las columnas que el modelo explicaba peor, y se "
        "contaron, hasta gastar el presupuesto."
    ),
    "private.made.model.mst": (
        "Método MST: se contó cada columna, y pares de columnas que forman un árbol, sorteados con "
        "un tercio del presupuesto."
    ),
    "private.made.drawn": (
        "Cada registro de la tabla se sorteó del modelo de estos recuentos con ruido. Ninguno es "
        "de una persona. Su número se eligió, o sale de los recuentos con ruido."
    ),
    "private.domains": (
        "Estos dominios se declararon sin mirar la tabla. Un valor que no figura en ellos se lee "
        "como «other» si este figura, y si no, como ausente; los números fuera de un intervalo, "
        "como el extremo más cercano. Si ninguno es un valor, el registro se dejó fuera."
    ),
    "private.head.domain": "dominio",
    "private.head.nulls": "puede faltar",
    "private.range": "de {minimum} a {maximum}, en {bins} tramos",
    "private.constraints": "Condiciones que cumple cada registro",
    "private.unverified.synthetic": (
        "Los valores de una tabla sintética no pueden mostrar que se añadió ruido, que nadie puede "
        "repetir el sorteo, ni que los dominios y los parámetros se eligieron sin mirar la tabla. "
        "De esto responde quien publica."
    ),
    "private.file": "Archivo",
}
