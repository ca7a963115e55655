"""The screens of the workbench."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
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
    "wb.cancelled": "Cancelled. Nothing was changed; the table is read again when it is needed.",
    "wb.ended": (
        "The computing process ended unexpectedly, perhaps for lack of memory. The project is as "
        "it was; try again."
    ),
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
    "wb.job.attack": "Attacking and assessing the release",
    "wb.job.write": "Writing the files",
    "wb.verdict.satisfied": "All requirements are satisfied",
    "wb.verdict.satisfied with findings": "All requirements are satisfied, but read the findings",
    "wb.verdict.not assessed": "All requirements are satisfied, but not everything was assessed",
    "wb.verdict.violated": "A requirement is violated",
    "wb.verdict.not private": "Not private: a seed was given",
    "wb.verdict.nothing required": "Nothing was required",
    "wb.status.uncounted": "{model}: not counted; a run tells",
    "wb.status.violating": "Table as it is: {number} of {whole} violate the requirements",
    "wb.status.violating.persons": (
        "Table as it is: {number} of {whole} have records that violate the requirements"
    ),
    "wb.status.none": "Table as it is: 0 of {whole} violate the requirements",
    "wb.status.none.persons": (
        "Table as it is: 0 of {whole} have records that violate the requirements"
    ),
    "wb.field.empty": "The database has no table.",
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
    "wb.export.seed": (
        "The policy, the manifest and the report hold the seed. Do not publish them with the "
        "release, or remove the seed first."
    ),
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
