"""Attacks by their names in the JSON contract, and what is said of them."""

from __future__ import annotations

from kanonym.report.language.speech import Sentences

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
        "¿El valor sensible de quién se ha vuelto mucho más probable que en toda la tabla?"
    ),
    "attack.similarity": "Similitud",
    "attack.similarity.question": (
        "¿Qué tipo de valor sensible tiene una persona, si los de una clase se parecen?"
    ),
    "attack.similarity-reidentification": "Reidentificación por similitud",
    "attack.similarity-reidentification.question": (
        "¿Qué clase se parece más a una persona, y revela el valor sensible?"
    ),
    "attack.linkage": "Vinculación de registros",
    "attack.linkage.question": ("¿Qué registro publicado es el de una persona conocida?"),
    "attack.optimal-linkage": "Vinculación de registros, todos a la vez",
    "attack.optimal-linkage.question": (
        "¿Qué registro publicado es de quién, si se empareja a todas las personas a la vez?"
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
    "attack.inference.question": ("¿Qué valor tiene una persona en una columna que no se conoce?"),
    "attack.membership": "Pertenencia",
    "attack.membership.question": "¿Está una persona conocida en la tabla?",
    "attack.intersection": "Intersección de dos publicaciones",
    "attack.intersection.question": (
        "¿Qué valor sensible tiene una persona, si se superponen dos publicaciones?"
    ),
    "attack.downcoding": "Recodificación inversa",
    "attack.downcoding.question": "¿Qué valores exactos hay detrás de los publicados?",
    "attacks.intro": (
        "Cada ataque se llevó a cabo con la publicación. Un intento acierta cuando lo que el "
        "intruso dice de una persona es verdad. El azar es lo que consigue el mismo intruso con "
        "personas que no están en la tabla (control) o, donde no las hay, sin la publicación "
        "(referencia)."
    ),
    "attacks.note": (
        "Sobre el azar: (aciertos − azar) / (1 − azar), la parte de lo que deja el azar; con su "
        "intervalo, el {confidence} de las veces. 0 %: la publicación no ayudó."
    ),
    "attacks.none": (
        "No se probó ningún ataque con esta publicación. "
        "`kanonym attack ORIGINAL RELEASED --policy POLICY` los prueba."
    ),
    "attacks.sizes": (
        "Quien conoce los cuasiidentificadores de una persona de la tabla acierta su registro:"
    ),
    "attacks.sizes.most": "como máximo",
    "attacks.sizes.mean": "de media",
    "attacks.sizes.blind": "a ciegas, por azar",
    "attacks.untried": "{title}: no se probó",
    "attacks.parts": "Partes",
    "attacks.kept": "Las primeras {shown} de {all} partes.",
    "interval": "de {low} a {high}",
}
