"""The screens of the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.workbench": "mesa de trabajo",
    "wb.skip": "Ir al contenido",
    "wb.steps": "Pasos",
    "wb.problem": "No ha funcionado:",
    "wb.stale": (
        "Entretanto, la política se cambió en otra pestaña. No se ha sobrescrito nada: mírela "
        "como está ahora y repita el cambio."
    ),
    "wb.undo": "Deshacer",
    "wb.redo": "Rehacer",
    "wb.save": "Guardar",
    "wb.cancel": "Cancelar",
    "wb.leave": "Dejar como está",
    "wb.change": "Cambiar",
    "wb.remove": "Quitar",
    "wb.open": "Abrir",
    "wb.next": "Siguiente: {screen}",
    "wb.previous": "Anterior",
    "wb.following": "Siguiente",
    "wb.null": "falta",
    "wb.column": "columna",
    "wb.role": "rol",
    "wb.type": "tipo",
    "wb.distinct": "valores distintos",
    "wb.missing": "faltan",
    "wb.promises": "Promete",
    "wb.promises.not": "No promete",
    "wb.cancelled": "Cancelado. No ha cambiado nada; la tabla se lee de nuevo cuando haga falta.",
    "wb.ended": (
        "El proceso de cálculo terminó de forma inesperada, quizá por falta de memoria. El "
        "proyecto está como estaba; inténtelo de nuevo."
    ),
    "wb.missing.table": "Aún no hay ninguna tabla abierta.",
    "wb.missing.release": "Aún no hay ninguna versión publicable. Haga una primero.",
    "wb.screen.open": "Abrir",
    "wb.screen.columns": "Columnas",
    "wb.screen.requirements": "Requisitos",
    "wb.screen.run": "Ejecutar",
    "wb.screen.results": "Resultados",
    "wb.screen.export": "Exportar",
    "wb.screen.history": "Historial",
    "wb.job.open": "Leyendo la tabla",
    "wb.job.release": "Anonimizando la tabla",
    "wb.job.hold": "Anonimizando de nuevo, para ver los registros",
    "wb.history.release": "tabla anonimizada",
    "wb.history.released": "{rows_out} de {rows_in} registros, {classes} clases",
    "wb.history.discard": "Borrar estos archivos",
    "wb.job.attack": "Atacando y evaluando la tabla anonimizada",
    "wb.job.write": "Escribiendo los archivos",
    "wb.verdict.satisfied": "Se cumplen todos los requisitos",
    "wb.verdict.satisfied with findings": "Se cumplen todos los requisitos, pero lea los hallazgos",
    "wb.verdict.not assessed": "Se cumplen todos los requisitos, pero no se evaluó todo",
    "wb.verdict.violated": "Se incumple un requisito",
    "wb.verdict.not private": "No es privada: se dio una semilla",
    "wb.verdict.nothing required": "No se exigía nada",
    "wb.status.uncounted": "{model}: sin contar; lo dice una ejecución",
    "wb.status.ask": "Contar lo que incumple los requisitos",
    "wb.status.violating": "Tabla tal cual: {number} de {whole} incumplen los requisitos",
    "wb.status.violating.persons": (
        "Tabla tal cual: {number} de {whole} tienen registros que incumplen los requisitos"
    ),
    "wb.status.none": "Tabla tal cual: 0 de {whole} incumplen los requisitos",
    "wb.status.none.persons": (
        "Tabla tal cual: 0 de {whole} tienen registros que incumplen los requisitos"
    ),
    "wb.status.uniques": "sin igual: {uniques} de {whole}",
    "wb.status.fault": "La política no está completa",
    "wb.status.waiting": "Contando …",
    "wb.status.release": "Tabla anonimizada: {verdict}",
    "wb.status.outdated": "La tabla anonimizada se hizo con otra política: ejecute de nuevo",
    "wb.status.no_release": "Aún sin tabla anonimizada",
    "wb.start.title": "Abrir una tabla",
    "wb.start.lead": (
        "Elija una tabla sobre personas. Después diga qué son sus columnas y qué exige, y obtenga "
        "una tabla anonimizada y comprobada, con un informe."
    ),
    "wb.start.path": "Un archivo de este equipo",
    "wb.start.path.label": "Ruta de una tabla, o carpeta de un proyecto",
    "wb.start.path.note": (
        "CSV, Excel, Parquet, JSON, SPSS, Stata, SAS; SQLite, DuckDB o postgresql://…. La tabla se "
        "queda donde está."
    ),
    "wb.start.more": "Base de datos, política, carpeta",
    "wb.start.table": "Tabla de la base de datos",
    "wb.start.policy": "Archivo de política de partida",
    "wb.start.folder": "Carpeta del proyecto",
    "wb.start.folder.note": "Si no se indica: una carpeta nueva NOMBRE-project en {folder}.",
    "wb.start.upload": "Un archivo desde el navegador",
    "wb.start.file": "Suelte aquí un archivo, o elija uno",
    "wb.start.upload.note": "Se guarda en una carpeta privada y se borra al cerrar el programa.",
    "wb.start.upload.do": "Subir y abrir",
    "wb.start.projects": "Proyectos abiertos",
    "wb.start.local": (
        "Esta página la sirve su propio equipo, solo a este navegador. Para usarla desde otro "
        "equipo, abra un túnel (ssh -L) a su puerto; no se envía nada a ningún sitio."
    ),
    "wb.open.lead": (
        "{name}: {rows} registros, {columns} columnas. Compruebe que se ha leído correctamente."
    ),
    "wb.open.preview": "Vista previa",
    "wb.open.rows": "{first} a {last} de {total}",
    "wb.open.types": "Tipos",
    "wb.open.types.note": (
        "Los números con unidad o código superior, las fechas, horas, tramos y valores que faltan "
        "se reconocen como la gente los escribe, donde no hay duda. Los textos de "
        "cuasiidentificadores y atributos sensibles se pueden leer aquí de otra manera."
    ),
    "wb.open.reading": "leer como",
    "wb.open.asfound": "como está",
    "wb.open.as.text": "texto",
    "wb.open.as.date": "fecha",
    "wb.open.as.number": "número",
    "wb.open.as.time": "hora",
    "wb.open.as.ordered": "tramos",
    "wb.open.cell.bound": "{text} → un extremo abierto del orden",
    "wb.open.cell.missing": "{text} → falta ({cells} celdas, la primera en la fila {row})",
    "wb.open.cell.exception": (
        "{text} → una excepción ({cells} celdas, la primera en la fila {row}): un valor propio, en "
        "ningún intervalo"
    ),
    "wb.open.format": "formato",
    "wb.open.workbook": "Libro de Excel",
    "wb.open.sheet": "Hoja",
    "wb.open.header": "Fila de los nombres de columnas",
    "wb.open.encoding.title": "Archivo de texto",
    "wb.open.encoding": "Codificación",
    "wb.open.encoding.note": (
        "El texto que no está en UTF-8 se lee en esta codificación; windows-1252 es habitual en "
        "los archivos que Excel guardó como CSV en Europa occidental."
    ),
    "wb.open.names": "Nombres de las columnas",
    "wb.open.names.note": "Un archivo sin encabezado necesita los nombres de sus columnas: a,b,c.",
    "wb.open.again": "Leer de nuevo",
    "wb.open.again.note": "Al leer de nuevo, la política empieza desde cero.",
    "wb.type.text": "texto",
    "wb.type.categories": "categorías",
    "wb.type.ordered categories": "categorías ordenadas",
    "wb.type.integer": "entero",
    "wb.type.real number": "número real",
    "wb.type.yes or no": "sí o no",
    "wb.type.date": "fecha",
    "wb.type.time": "hora",
    "wb.type.date and time": "fecha y hora",
    "wb.type.duration": "duración",
    "wb.type.other": "otro",
    "wb.columns.lead": (
        "Diga qué es cada columna. Los roles son sugerencias; lea el motivo y corrija lo que no "
        "sea cierto. En caso de duda, elija cuasiidentificador: de más, cuesta información; de "
        "menos, cuesta la privacidad de alguien."
    ),
    "wb.columns.persons": "Quién es quién",
    "wb.columns.count_by": "Contar personas por {column}",
    "wb.columns.rows_are_persons": "Cada registro es una persona",
    "wb.columns.filter": "Filtrar columnas",
    "wb.columns.ticked": "Columnas marcadas:",
    "wb.columns.all": "Marcar todas las columnas visibles",
    "wb.columns.none": "Marque primero al menos una columna.",
    "wb.columns.suggested": "Roles sugeridos para todas",
    "wb.columns.why": "motivo",
    "wb.columns.values": "valores",
    "wb.columns.was": "sugerido: {role}",
    "wb.columns.histogram": "Histograma de {column}",
    "wb.columns.counts": "{distinct} distintos, {uniques} de ellos únicos",
    "wb.columns.nulls": "faltan {nulls}",
    "wb.columns.apart": "Qué distingue a las personas",
    "wb.columns.unique": "En estas columnas juntas, todos los registros son distintos:",
    "wb.columns.near": "En estas, cada registro es igual a pocos otros:",
    "wb.requirements.lead": (
        "Alguien puede saber: {known}. No debe averiguar: {sensitive}. Diga qué debe cumplir cada "
        "registro publicado."
    ),
    "wb.requirements.violating": "ahora incumplido por {number}",
    "wb.requirements.none": "Aún no se exige nada, así que no se garantizaría nada.",
    "wb.requirements.unprotected": (
        "Ningún requisito mira {columns}: quien halla una clase cuyos registros comparten un valor "
        "lo conoce. l-diversity y t-closeness protegen de eso."
    ),
    "wb.requirements.form": "Requisito: {model}",
    "wb.requirements.add": "Añadir un requisito",
    "wb.requirements.presets": "Umbrales de reguladores",
    "wb.requirements.presets.note": (
        "Fijan la clase más pequeña. Lea la fuente antes de confiar en uno."
    ),
    "wb.run.lead": (
        "Un algoritmo divide los registros en clases que cumplen los requisitos. Después se "
        "comprueban los propios valores publicados; lo que incumple un requisito no se escribe "
        "nunca."
    ),
    "wb.run.algorithm": "Algoritmo",
    "wb.run.usual": "habituales",
    "wb.run.others": "otros",
    "wb.run.choose": "Elegir",
    "wb.run.limit": "Registros que se pueden suprimir, como máximo",
    "wb.run.limit.note": "Un pequeño porcentaje conserva a menudo mucho más de los demás.",
    "wb.run.recoding": "Recodificación",
    "wb.run.recoding.note": "Cómo se publican los valores si la columna no dice otra cosa.",
    "wb.run.order": "Mantener el orden de los registros",
    "wb.run.order.note": "El orden puede revelar quién es quién; sin esto se baraja.",
    "wb.run.options": "Opciones de {algorithm}",
    "wb.run.start": "Anonimizar",
    "wb.run.save": "Solo guardar",
    "wb.run.seed": (
        "La política tiene una semilla aleatoria, para que la orden repita el resultado byte a "
        "byte. Quien la tenga junto con la tabla puede deshacer el barajado: manténgala en secreto."
    ),
    "wb.results.lead": "Se publican {rows_out} de {rows_in} registros, en {classes} clases.",
    "wb.results.algorithm": "Algoritmo: {algorithm}.",
    "wb.results.chosen": "Elegido: {algorithm}, porque perdió menos.",
    "wb.results.attack": "Atacar y evaluar esta tabla",
    "wb.results.rows": "Registros publicados",
    "wb.results.sections": "Secciones",
    "wb.export.lead": "Los archivos se escriben en {folder}, una carpeta por estado.",
    "wb.export.outdated": (
        "La política cambió después de anonimizar: ejecute de nuevo antes de exportar."
    ),
    "wb.export.files": "Archivos",
    "wb.export.view": "ver",
    "wb.export.repeat": "Repetirlo sin esta página",
    "wb.export.repeat.note": "Esto hace el mismo archivo, byte a byte.",
    "wb.export.command": "Línea de órdenes",
    "wb.export.seed": (
        "La política y el manifiesto contienen la semilla. No los publique con la tabla, o quite "
        "antes la semilla."
    ),
    "wb.export.write": "Escribir la tabla anonimizada",
    "wb.export.format": "Formato",
    "wb.export.report": "Informe",
    "wb.export.language": "Idioma del informe",
    "wb.export.unattacked": "El informe aún no tiene ataques: inícielos en",
    "wb.export.do": "Escribir los archivos",
    "wb.history.lead": (
        "Cada cambio se guarda en {folder}. Dé un nombre a un estado para reencontrarlo."
    ),
    "wb.history.change": "cambio",
    "wb.history.name": "nombre",
    "wb.history.compare": "comparar",
    "wb.history.first": "comparar el estado {number}",
    "wb.history.second": "con el estado {number}",
    "wb.history.now": "ahora",
    "wb.history.restore": "Volver a él",
    "wb.history.part": "parte",
    "wb.history.differences": "Estado {first} y estado {second}",
    "wb.history.same": "Son iguales.",
    "wb.did.open": "Abierto, con roles sugeridos",
    "wb.did.policy": "Abierto con un archivo de política",
    "wb.did.edited": "El archivo de política se editó a mano",
    "wb.did.reading": "{column} se lee de otra manera",
    "wb.did.role": "{columns}: {role}",
    "wb.did.suggested": "Roles sugeridos",
    "wb.did.persons": "Quién es quién: {column}",
    "wb.did.model": "Requisito {model}",
    "wb.did.unmodel": "Requisito {model} quitado",
    "wb.did.preset": "Umbral: {preset}",
    "wb.did.algorithm": "Algoritmo {algorithm}",
    "wb.did.restored": "Vuelta al estado {number}",
}
