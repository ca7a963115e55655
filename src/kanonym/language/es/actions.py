"""What each action protects, and what it does not, by its English sentence."""

from __future__ import annotations

from collections.abc import Mapping

MESSAGES: Mapping[str, str] = {
    "The hidden characters can no longer be read.": "Los caracteres ocultos ya no se pueden leer.",
    "The kept characters and the length remain; where few values share them, they still "
    "distinguish records.": (
        "Quedan los caracteres visibles y la longitud; donde pocos valores los comparten, siguen "
        "distinguiendo registros."
    ),
    "No part of a value can be read, not even its length.": (
        "No se puede leer ninguna parte de un valor, ni siquiera su longitud."
    ),
    "Which records have no value remains visible.": (
        "Sigue a la vista qué registros no tienen valor."
    ),
    "The exact number is hidden among all numbers that round to the same one.": (
        "El número exacto queda oculto entre todos los que se redondean al mismo."
    ),
    "The magnitude remains, so a rare large or small number still points to a person.": (
        "Queda la magnitud: un número raro por grande o por pequeño aún señala a una persona."
    ),
    "The largest and smallest numbers no longer identify who has them.": (
        "Los números mayores y menores ya no identifican a quien los tiene."
    ),
    "All numbers between the bounds remain unchanged, and bounds given as quantiles are "
    "numbers of the data themselves.": (
        "Todos los números entre los límites quedan sin cambios, y los límites dados como "
        "cuantiles son números de los propios datos."
    ),
    "The exact number is hidden among all numbers of its interval.": (
        "El número exacto queda oculto entre todos los de su intervalo."
    ),
    "The interval remains, and may contain a single record: this action does not count records.": (
        "Queda el intervalo, que puede contener un solo registro: esta acción no cuenta registros."
    ),
    "A suppressed value is not in the release at all.": (
        "Un valor suprimido no está en absoluto en la tabla publicada."
    ),
    "Values that are not suppressed remain unchanged, and an empty cell can itself reveal that "
    "its value is one of the suppressed ones.": (
        "Los valores no suprimidos quedan sin cambios, y una celda vacía puede revelar por sí "
        "misma que su valor es uno de los suprimidos."
    ),
    "The exact date is hidden among all dates of its unit.": (
        "La fecha exacta queda oculta entre todas las de su unidad."
    ),
    "The unit remains, and may contain a single record: this action does not count records.": (
        "Queda la unidad, que puede contener un solo registro: esta acción no cuenta registros."
    ),
    "The calendar date is hidden within twice the days of the shift.": (
        "La fecha del calendario queda oculta dentro del doble de los días del desplazamiento."
    ),
    "The intervals between the dates of one subject remain and can identify the subject; one "
    "known date reveals the shift, and with it all other dates. Dates near the first or the "
    "last day of the table tell the direction; a public event shows in the mean of many "
    "shifts. Tables of several policies are shifted alike only with a key.": (
        "Los intervalos entre las fechas de un sujeto permanecen y pueden identificarlo; una fecha "
        "conocida revela el desplazamiento y, con él, todas las demás. Las fechas cercanas al "
        "primer o al último día de la tabla revelan la dirección; un acontecimiento público se ve "
        "en la media de muchos desplazamientos. Solo con una clave se desplazan igual las tablas "
        "de varias políticas."
    ),
    "The address cannot be used, and neither name nor domain can be read.": (
        "La dirección no se puede usar, y no se leen ni el nombre ni el dominio."
    ),
    "The two initials and the top-level domain remain: a known address can be matched "
    "against them, and few other records may fit.": (
        "Quedan las dos iniciales y el dominio de nivel superior: una dirección conocida se puede "
        "cotejar con ellos, y pocos registros más pueden encajar."
    ),
    "The number cannot be called, and the area code cannot be read.": (
        "No se puede llamar al número, y no se lee el prefijo."
    ),
    "Country, length, grouping and the last two digits remain: a known number can be matched "
    "against them.": (
        "Quedan el país, la longitud, la agrupación y las dos últimas cifras: un número conocido "
        "se puede cotejar con ellos."
    ),
    "Bank and account cannot be read, and no money can be withdrawn.": (
        "No se leen el banco ni la cuenta, y no se puede retirar dinero."
    ),
    "Country and the last four characters remain: a known account can be matched against "
    "them, and the same account is recognized wherever it occurs.": (
        "Quedan el país y los cuatro últimos caracteres: una cuenta conocida se puede cotejar con "
        "ellos, y la misma cuenta se reconoce dondequiera que aparezca."
    ),
    "Without the key, nobody can find or test the original value.": (
        "Sin la clave, nadie puede hallar ni comprobar el valor original."
    ),
    "Equal values have equal pseudonyms: frequencies and links between tables remain, and "
    "whoever has the key can test any guessed value.": (
        "Valores iguales tienen seudónimos iguales: quedan las frecuencias y los enlaces entre "
        "tablas, y quien tenga la clave puede comprobar cualquier valor que suponga."
    ),
    "Length and the characters outside the alphabet remain, equal values have equal "
    "pseudonyms, and whoever has the key decrypts them all.": (
        "Quedan la longitud y los caracteres ajenos al alfabeto, valores iguales tienen "
        "seudónimos iguales, y quien tenga la clave los descifra todos."
    ),
    "Without the mapping, a number reveals nothing about its value.": (
        "Sin la tabla de correspondencias, un número no revela nada de su valor."
    ),
    "Equal values have equal numbers, so frequencies and links remain; the mapping file "
    "reverses everything, and sequential numbers reveal the order of the records.": (
        "Valores iguales tienen números iguales, así que quedan frecuencias y enlaces; el archivo "
        "de correspondencias lo revierte todo, y los números consecutivos revelan el orden de los "
        "registros."
    ),
    "The invented value reveals nothing about the real one.": (
        "El valor inventado no revela nada del verdadero."
    ),
    "Equal values have equal fakes, so frequencies and links remain; and a fake can by chance "
    "be the name of a real person, in the table or outside.": (
        "Valores iguales tienen inventos iguales, así que quedan frecuencias y enlaces; y un "
        "invento puede ser por azar el nombre de una persona real, de la tabla o de fuera."
    ),
    "No released number is the measured one; of its error only the distribution is known "
    "(Laplace: usually small, sometimes large).": (
        "Ningún número publicado es el medido; de su error solo se conoce la distribución "
        "(Laplace: por lo general pequeño, a veces grande)."
    ),
    "No released number is the measured one; of its error only the distribution is known "
    "(normal).": (
        "Ningún número publicado es el medido; de su error solo se conoce la distribución (normal)."
    ),
    "Noise is neither k-anonymity nor, as it stands, differential privacy: an outlier remains "
    "an outlier, a record can be recognized by several noisy values together, and means over "
    "many records are as exact as before.": (
        "El ruido no es k-anonimidad ni, tal cual, privacidad diferencial: un valor atípico sigue "
        "siéndolo, un registro se puede reconocer por varios valores con ruido juntos, y las "
        "medias de muchos registros son tan exactas como antes."
    ),
    "No released number is the measured one, and the noise of one column does not "
    "stand out against the others.": (
        "Ningún número publicado es el medido, y el ruido de una columna no resalta frente a las "
        "demás."
    ),
    "Noise is neither k-anonymity nor differential privacy: an outlier remains an outlier in "
    "every column of the group at once, and with a small share a record is still the nearest "
    "to its original.": (
        "El ruido no es k-anonimidad ni privacidad diferencial: un valor atípico sigue siéndolo "
        "en todas las columnas del grupo a la vez, y con una proporción pequeña un registro sigue "
        "siendo el más cercano a su original."
    ),
    "A released value is that of another record; it is unknown which, except that its rank is "
    "within reach.": (
        "Un valor publicado es el de otro registro; no se sabe cuál, salvo que su rango está al "
        "alcance."
    ),
    "Every value is released exactly, and near its original rank: with a small percentage the "
    "nearest record is still often the right one, and the largest value stays with one of the "
    "largest.": (
        "Cada valor se publica exacto y cerca de su rango original: con un porcentaje pequeño, el "
        "registro más cercano es a menudo el verdadero, y el valor mayor se queda con uno de los "
        "mayores."
    ),
    "Within its class, a value is no longer tied to its record, nor to the record's values "
    "in other columns.": (
        "Dentro de su clase, un valor ya no está ligado a su registro ni a los valores de este en "
        "otras columnas."
    ),
    "Every value is released exactly and stays in its class: what all records of a class share "
    "is known for each of them, and combinations of values remain distinct, so "
    "swapping alone is not k-anonymity.": (
        "Cada valor se publica exacto y se queda en su clase: lo que comparten todos los registros "
        "de una clase se sabe de cada uno, y las combinaciones de valores siguen siendo distintas, "
        "así que intercambiar por sí solo no es k-anonimidad."
    ),
    "A value says nothing about its record.": "Un valor no dice nada de su registro.",
    "Every value is released exactly: a value that only one person can have still reveals that "
    "this person is in the table.": (
        "Cada valor se publica exacto: un valor que solo puede tener una persona revela que esa "
        "persona está en la tabla."
    ),
    "Any released category may differ from that of the record, so a rare combination may be "
    "due to chance.": (
        "Cualquier categoría publicada puede diferir de la del registro, así que una combinación "
        "rara puede deberse al azar."
    ),
    "Most values are usually true, and whoever knows the matrix knows how likely each one is "
    "to be true; counts that combine this column with others are biased unless corrected.": (
        "La mayoría de los valores suelen ser ciertos, y quien conoce la matriz sabe cuán probable "
        "es que lo sea cada uno; los recuentos que combinan esta columna con otras están sesgados "
        "si no se corrigen."
    ),
    "Everybody can plausibly deny the released value: any value may be released, whatever the "
    "true one, with probabilities that differ by a factor of at most exp(epsilon).": (
        "Cualquiera puede negar de forma creíble el valor publicado: puede publicarse cualquier "
        "valor, sea cual sea el verdadero, con probabilidades que difieren en un factor de a lo "
        "sumo exp(epsilon)."
    ),
    "The shares of values in large groups, by design. With a high probability most answers are "
    "true, and missing values remain missing.": (
        "Las proporciones de los valores en grupos grandes, a propósito. Con una probabilidad "
        "alta, la mayoría de las respuestas son ciertas, y los valores que faltan siguen faltando."
    ),
    "Names, dates, numbers, places and contacts that are found in a text cannot be read.": (
        "No se pueden leer los nombres, fechas, números, lugares y contactos hallados en un texto."
    ),
    "What is not found remains, above all names without a title or a common given name, and "
    "what a text tells without naming anybody: whoever knows the story knows the person. Of "
    "the mentions in generated notes, rules alone found 73 to 86 %, with columns of the table "
    "98 to 100 %; 92 to 100 % of the replacements were right. Real notes are harder.": (
        "Queda lo que no se halla, sobre todo nombres sin tratamiento ni nombre de pila común, y "
        "lo que un texto cuenta sin nombrar a nadie: quien conoce la historia conoce a la persona. "
        "De las menciones en notas generadas, las reglas solas hallaron del 73 al 86 %, con "
        "columnas de la tabla del 98 al 100 %; del 92 al 100 % de las sustituciones eran "
        "correctas. Las notas reales son más difíciles."
    ),
}
