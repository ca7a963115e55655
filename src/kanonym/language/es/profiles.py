"""La página sobre una tabla original."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "profile.title": "Perfil de una tabla",
    "profile.original": "Esta página muestra datos originales",
    "profile.keep": "guárdela donde guarda la tabla y no la publique",
    "profile.made": "kanonym {version}",
    "profile.lead": (
        "{records} en {columns}. {uniques} de los registros son únicos en los "
        "cuasi-identificadores que se sugieren abajo ({names}): quien conoce esos valores de una "
        "persona encuentra su registro."
    ),
    "profile.lead.none": (
        "{records} en {columns}. No se sugiere ninguna columna como cuasi-identificador."
    ),
    "tile.records": "registros",
    "tile.columns": "columnas",
    "tile.unique": "de los registros son únicos en sus cuasi-identificadores",
    "tile.smallest": "registros en el menor grupo de cuasi-identificadores iguales",
    "section.distinguish": "Qué distingue a las personas",
    "distinguish.text": (
        "La proporción de pares de registros que difieren en una columna. Una columna cercana al "
        "100 % casi identifica los registros por sí sola."
    ),
    "distinguish.sets": "Conjuntos de columnas sin dos registros iguales, o con pocos",
    "distinguish.none": "Ningún conjunto de columnas distingue casi todos los registros.",
    "head.combinations": "combinaciones",
    "head.uniques": "registros únicos",
    "section.persons": "Quiénes pueden ser las personas",
    "section.suggested": "Papeles sugeridos, y por qué",
    "head.content": "contenido",
    "section.missing": "Valores ausentes",
    "missing.none": "No falta ningún valor.",
    "missing.axis": "proporción de registros sin valor",
    "section.histograms": "Histogramas",
    "histograms.text": (
        "Cuántos registros tienen qué valores; las colas largas y los valores raros van juntos. No "
        "se dibujan las columnas de identificadores ni las de texto libre."
    ),
    "histograms.some": "Se dibujan las {shown} de {all} columnas que más registros distinguen.",
    "section.pairs": "Pares de columnas",
    "pairs.text": (
        "Con qué fuerza van juntas dos columnas (V de Cramér de las barras de arriba, de 0 nada a "
        "1): quien conoce una de ellas puede deducir la otra."
    ),
    "content.values": ("{values} valor", "{values} valores"),
    "content.nulls": "faltan {nulls}",
    "alt.distinguish": "Gráfico de barras de pares distinguibles: los que más, por {most}, {much}.",
    "alt.missing": "Gráfico de barras de valores ausentes: los que más, en {most}, {much}.",
    "alt.histogram": (
        "Histograma de «{name}»: {bars}; la mayoría de los registros, {number}, en «{label}»."
    ),
    "alt.pairs": "Mapa de calor de asociaciones: la más fuerte entre {most}, {much}.",
}
