"""The screens of the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "wb.workbench": "workbench",
    "wb.skip": "Skip to content",
    "wb.steps": "Steps",
    "wb.problem": "This did not work:",
    "wb.stale": (
        "The policy was changed elsewhere in the meantime: in another tab or workbench. Nothing "
        "was overwritten: look at it as it is now, and repeat your change."
    ),
    "wb.told": "There is nothing to show",
    "wb.told.start": "To the first page",
    "wb.told.missing": (
        "There is no such page. After a restart of the workbench, projects are opened again on "
        "the first page."
    ),
    "wb.told.internal": (
        "This did not work, through a fault of kanonym ({kind}). The project is as it was saved "
        "last. Go to the first page and open it again."
    ),
    "wb.told.large": (
        "That is too large: at most {most} MB are taken from a browser. Nothing was changed. On "
        "the first page, name the path of the file on this machine, and do not upload it."
    ),
    "wb.told.used": (
        "This address was used already, or is not complete. Take the newest one that kanonym "
        "workbench printed in the terminal."
    ),
    "wb.told.session": (
        "This page belongs to a session of kanonym workbench. Open the newest address that it "
        "printed in the terminal; each address works once."
    ),
    "wb.told.dead": (
        "The workbench does not answer: it was ended. What was saved is kept. Start kanonym "
        "workbench again, and open the address that it prints."
    ),
    "wb.field.required": "Something must be entered here.",
    "wb.field.whole": "“{text}” is no whole number.",
    "wb.field.number": "“{text}” is no number.",
    "wb.field.least": "It must be at least {least}.",
    "wb.field.least.most": "It must be from {least} to {most}.",
    "wb.field.above": "It must be more than {least}.",
    "wb.field.above.most": "It must be more than {least}, and at most {most}.",
    "wb.field.most": "It must be at most {most}.",
    "wb.field.fault": "{reason}",
    "wb.field.absent": "There is no file {path}.",
    "wb.field.ending": "A file {ending} is no table that is read here. Those are: {known}.",
    "wb.field.file": "The file cannot be opened: {reason}.",
    "wb.field.folder": "{path} holds another project. Name another folder.",
    "wb.undo": "Undo",
    "wb.redo": "Redo",
    "wb.save": "Save",
    "wb.cancel": "Cancel",
    "wb.leave": "Leave as it is",
    "wb.change": "Change",
    "wb.remove": "Remove",
    "wb.open": "Open",
    "wb.next": "Next: {screen}",
    "wb.previous": "Previous",
    "wb.following": "Next",
    "wb.null": "missing",
    "wb.column": "column",
    "wb.role": "role",
    "wb.type": "type",
    "wb.distinct": "distinct values",
    "wb.missing": "missing",
    "wb.promises": "Promises",
    "wb.promises.not": "Does not promise",
    "wb.cancelled": "Cancelled. Nothing was changed; the table is read again when it is needed.",
    "wb.ended": (
        "The computing process ended unexpectedly, perhaps for lack of memory. The project is as "
        "it was; try again."
    ),
    "wb.missing.table": "No table is open yet.",
    "wb.missing.release": "There is no release yet. Make one first.",
    "wb.screen.open": "Open",
    "wb.screen.columns": "Columns",
    "wb.screen.requirements": "Requirements",
    "wb.screen.run": "Run",
    "wb.screen.results": "Results",
    "wb.screen.export": "Export",
    "wb.screen.history": "History",
    "wb.job.open": "Reading the table",
    "wb.job.release": "Making the release",
    "wb.job.hold": "Making the release again, to look at its records",
    "wb.history.release": "release",
    "wb.history.released": "{rows_out} of {rows_in} records, {classes} classes",
    "wb.history.discard": "Delete these files",
    "wb.job.attack": "Attacking and assessing the release",
    "wb.job.write": "Writing the files",
    "wb.verdict.satisfied": "All requirements are satisfied",
    "wb.verdict.satisfied with findings": "All requirements are satisfied, but read the findings",
    "wb.verdict.not assessed": "All requirements are satisfied, but not everything was assessed",
    "wb.verdict.violated": "A requirement is violated",
    "wb.verdict.not private": "Not private: a seed was given",
    "wb.verdict.nothing required": "Nothing was required",
    "wb.status.uncounted": "{model}: not counted; a run tells",
    "wb.status.ask": "Count what violates the requirements",
    "wb.status.violating": "Table as it is: {number} of {whole} violate the requirements",
    "wb.status.violating.persons": (
        "Table as it is: {number} of {whole} have records that violate the requirements"
    ),
    "wb.status.none": "Table as it is: 0 of {whole} violate the requirements",
    "wb.status.none.persons": (
        "Table as it is: 0 of {whole} have records that violate the requirements"
    ),
    "wb.status.uniques": "unique: {uniques} of {whole}",
    "wb.status.fault": "The policy is not complete",
    "wb.status.waiting": "Counting …",
    "wb.status.release": "Release: {verdict}",
    "wb.status.outdated": "The release was made by another policy: run again",
    "wb.status.no_release": "No release yet",
    "wb.start.title": "Open a table",
    "wb.start.lead": (
        "Choose a table about people. You then say what its columns are and what you require, and "
        "get a release that was checked, with a report."
    ),
    "wb.start.path": "A file on this machine",
    "wb.start.path.label": "Path of a table, or folder of a project",
    "wb.start.path.note": (
        "CSV, Excel, Parquet, JSON, SPSS, Stata, SAS; SQLite, DuckDB or postgresql://…. The table "
        "stays where it is."
    ),
    "wb.start.more": "Database, policy, folder",
    "wb.start.table": "Table of the database",
    "wb.start.tables": "Choose one of the {number} tables",
    "wb.field.empty": "The database has no table.",
    "wb.start.policy": "Policy file to start from",
    "wb.start.folder": "Folder of the project",
    "wb.start.folder.note": "Default: a new folder NAME-project in {folder}.",
    "wb.start.upload": "A file from the browser",
    "wb.start.file": "Drop a file here, or choose one",
    "wb.start.upload.note": "It is kept in a private folder and deleted when the workbench ends.",
    "wb.start.upload.do": "Upload and open",
    "wb.start.projects": "Open projects",
    "wb.start.local": (
        "This page is served by your own machine, to this browser alone. To use it from another "
        "machine, make a tunnel (ssh -L) to its port; nothing is sent anywhere."
    ),
    "wb.open.lead": "{name}: {rows} records, {columns} columns. Check that it was read correctly.",
    "wb.open.preview": "Preview",
    "wb.open.rows": "{first} to {last} of {total}",
    "wb.open.types": "Types",
    "wb.open.types.note": (
        "Numbers with a unit or a top code, dates, times, bands and missing values are recognized "
        "as people write them, where that is unambiguous. Texts of quasi-identifiers and "
        "sensitive attributes can be read in another way here."
    ),
    "wb.open.reading": "read as",
    "wb.open.asfound": "as found",
    "wb.open.as.text": "text",
    "wb.open.as.date": "date",
    "wb.open.as.number": "number",
    "wb.open.as.time": "time",
    "wb.open.as.ordered": "bands",
    "wb.open.cell.bound": "{text} → an open end of the order",
    "wb.open.cell.missing": (
        "{text} → missing (1 cell, in row {row})",
        "{text} → missing ({cells} cells, the first in row {row})",
    ),
    "wb.open.cell.exception": (
        "{text} → an exception (1 cell, in row {row}): a value of its own, in no range",
        (
            "{text} → an exception ({cells} cells, the first in row {row}): a value of its own, in "
            "no range"
        ),
    ),
    "wb.open.format": "format",
    "wb.open.workbook": "Workbook",
    "wb.open.sheet": "Sheet",
    "wb.open.header": "Row of the column names",
    "wb.open.encoding.title": "Text file",
    "wb.open.encoding": "Encoding",
    "wb.open.encoding.note": (
        "Text that is not UTF-8 is read in this encoding; windows-1252 is usual for files that "
        "Excel saved as CSV in Western Europe."
    ),
    "wb.open.names": "Names of the columns",
    "wb.open.names.note": "A file without a header needs the names of its columns: a,b,c.",
    "wb.open.again": "Read again",
    "wb.open.again.note": "Reading again starts the policy anew.",
    "wb.type.text": "text",
    "wb.type.categories": "categories",
    "wb.type.ordered categories": "ordered categories",
    "wb.type.integer": "integer",
    "wb.type.real number": "real number",
    "wb.type.yes or no": "yes or no",
    "wb.type.date": "date",
    "wb.type.time": "time",
    "wb.type.date and time": "date and time",
    "wb.type.duration": "duration",
    "wb.type.other": "other",
    "wb.columns.lead": (
        "Say what each column is. Roles are suggested; read why, and correct what is wrong. When "
        "in doubt, choose quasi-identifier: wrongly so, it costs information; wrongly not, it "
        "costs somebody’s privacy."
    ),
    "wb.columns.persons": "Who is who",
    "wb.columns.count_by": "Count people by {column}",
    "wb.columns.rows_are_persons": "Each record is a person",
    "wb.columns.filter": "Filter columns",
    "wb.columns.ticked": "Set ticked columns to:",
    "wb.columns.all": "Tick all columns shown",
    "wb.columns.none": "Tick at least one column first.",
    "wb.columns.suggested": "Suggested roles for all",
    "wb.columns.why": "why",
    "wb.columns.values": "values",
    "wb.columns.was": "suggested: {role}",
    "wb.columns.histogram": "Histogram of {column}",
    "wb.columns.counts": "{distinct} distinct, {uniques} of them unique",
    "wb.columns.nulls": "{nulls} missing",
    "wb.columns.apart": "What distinguishes people",
    "wb.columns.unique": "In these columns together, all records differ:",
    "wb.columns.near": "In these, a record equals few others:",
    "wb.requirements.lead": (
        "Somebody may know: {known}. They must not learn: {sensitive}. State what every released "
        "record must satisfy."
    ),
    "wb.requirements.violating": "violated by {number} now",
    "wb.requirements.impossible": (
        "No release of this table can meet it. The best possible, with all records in one class: "
        "{best}."
    ),
    "wb.faults": "This is missing before a run",
    "wb.requirements.none": "Nothing is required yet, so nothing would be guaranteed.",
    "wb.requirements.unprotected": (
        "No requirement looks at {columns}: whoever finds a class whose records share a value "
        "knows it. l-diversity and t-closeness protect against that."
    ),
    "wb.requirements.form": "Requirement: {model}",
    "wb.requirements.add": "Add a requirement",
    "wb.requirements.presets": "Presets of regulators",
    "wb.requirements.presets.note": (
        "They set the smallest class. Read the source before you rely on one."
    ),
    "wb.run.lead": (
        "An algorithm divides the records into classes that satisfy the requirements. The release "
        "is then checked on its own values; one that violates a requirement is never written."
    ),
    "wb.run.algorithm": "Algorithm",
    "wb.run.usual": "usual",
    "wb.run.others": "others",
    "wb.run.choose": "Choose",
    "wb.run.limit": "Records that may be suppressed, at most",
    "wb.run.limit.note": "A few percent often keep much more of all other records.",
    "wb.run.recoding": "Recoding",
    "wb.run.recoding.note": "How values are released where a column does not say itself.",
    "wb.run.order": "Keep the order of the records",
    "wb.run.order.note": "The order can tell who is who; without this it is shuffled.",
    "wb.run.options": "Options of {algorithm}",
    "wb.run.start": "Make the release",
    "wb.run.save": "Save only",
    "wb.run.seed": (
        "The policy has a random seed, so that the command repeats the release byte for byte. "
        "Whoever has it and the table can undo the shuffle: keep it secret."
    ),
    "wb.results.lead": "{rows_out} of {rows_in} records released, in {classes} classes.",
    "wb.results.algorithm": "Algorithm: {algorithm}.",
    "wb.results.chosen": "Chosen: {algorithm}, because it lost least.",
    "wb.results.outdated": (
        "What is below is of the earlier release, and says nothing of the policy as it is now."
    ),
    "wb.attacked.beyond": "{attacks}; better than chance: {beyond}.",
    "wb.attacked.none": "{attacks}; none is surely better than chance.",
    "wb.attacked.best": (
        "The most successful one, {attack}, succeeds for {rate} of those attacked; by chance, for "
        "{chance}."
    ),
    "wb.attacked.earlier": "Attacked before the last restart; all results are in the report:",
    "wb.results.attack": "Attack and assess this release",
    "wb.results.rows": "Released records",
    "wb.results.sections": "Sections",
    "wb.export.lead": "Files are written into {folder}, into a folder for each release.",
    "wb.export.outdated": "The policy was changed after the release was made: run again first.",
    "wb.export.files": "Files",
    "wb.export.view": "show",
    "wb.export.repeat": "Repeat it without this page",
    "wb.export.repeat.note": "This makes the same file, byte for byte.",
    "wb.export.repeat.stamped": (
        "This makes the same records. The file differs in some bytes: its format holds the time "
        "at which it was written."
    ),
    "wb.file.publish": "May be published",
    "wb.file.secret": "Keep secret",
    "wb.file.table": "the released records",
    "wb.file.covered": "says what is promised, and nothing else of the table",
    "wb.file.values": "lists values of the table, also of records that are not released",
    "wb.file.figures": "has figures of the table itself",
    "wb.file.seed": "holds the seed: whoever has it can undo the shuffle",
    "wb.file.account": "says how the release was made and checked",
    "wb.export.command": "Command line",
    "wb.export.seed": (
        "The policy, the manifest and the report hold the seed. Do not publish them with the "
        "release, or remove the seed first."
    ),
    "wb.export.write": "Write the release",
    "wb.export.format": "Format",
    "wb.export.report": "Report",
    "wb.export.language": "Language of the report",
    "wb.export.unattacked": "The report has no attacks yet: start them under",
    "wb.export.do": "Write the files",
    "wb.history.lead": "Every change is kept in {folder}. Name a state to find it again.",
    "wb.history.change": "change",
    "wb.history.name": "name",
    "wb.history.compare": "compare",
    "wb.history.first": "compare state {number}",
    "wb.history.second": "with state {number}",
    "wb.history.now": "now",
    "wb.history.restore": "Go back to it",
    "wb.history.part": "part",
    "wb.history.differences": "State {first} and state {second}",
    "wb.history.same": "They are the same.",
    "wb.did.open": "Opened, with suggested roles",
    "wb.did.policy": "Opened with a policy file",
    "wb.did.edited": "The policy file was edited by hand",
    "wb.did.reading": "{column} is read in another way",
    "wb.did.role": "{columns}: {role}",
    "wb.did.suggested": "Suggested roles",
    "wb.did.persons": "Who is who: {column}",
    "wb.did.model": "Requirement {model}",
    "wb.did.unmodel": "Requirement {model} removed",
    "wb.did.preset": "Preset: {preset}",
    "wb.did.algorithm": "Algorithm {algorithm}",
    "wb.did.restored": "Back to state {number}",
}
