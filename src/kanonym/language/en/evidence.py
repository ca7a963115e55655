"""The reasons of a profile; `….report` is said where counts of records and values are not told."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "evidence.given": "declared as a quasi-identifier",
    "evidence.trouble": "{detail}; until then it counts as an identifier and is dropped",
    "evidence.trouble.report": (
        "it cannot be recoded as it is; until then it counts as an identifier and is dropped"
    ),
    "evidence.counts-records": (
        "consecutive numbers: it numbers records, such as people or households"
    ),
    "evidence.counts-groups": (
        "consecutive numbers: it numbers groups of records, such as people or households"
    ),
    "evidence.own-text": "{own} of {records} records have a unique text",
    "evidence.own-text.report": "nearly all records have a unique text",
    "evidence.entity": (
        "{values} values for {records} records: if it names people or households with several "
        "records, it is their entity"
    ),
    "evidence.entity.report": (
        "fewer values than records: if it names people or households with several records, it is "
        "their entity"
    ),
    "evidence.persons": (
        "{values} values for {records} records, on which other columns depend: it seems to number "
        "persons with several records, or groups such as households"
    ),
    "evidence.persons.report": (
        "its values repeat, and other columns depend on them: it seems to number persons with "
        "several records, or groups such as households"
    ),
    "evidence.constant": "the same in every record: it distinguishes nobody",
    "evidence.constant-sensitive": (
        "the same in every record: anyone known to be in the table is known to have it, and "
        "recoding other columns does not change that"
    ),
    "evidence.name": "the name suggests: {what}",
    "evidence.name-sensitive": "the name suggests: {what}, which is sensitive",
    "evidence.amount": (
        "one number occurs once and identifies whoever is known to have it: it is rounded",
        "{records} numbers occur once and identify whoever is known to have them: they are rounded",
    ),
    "evidence.amount.report": (
        "numbers that occur once identify whoever is known to have them: they are rounded"
    ),
    "evidence.many-values": (
        "but {values} values for {records} records, released unchanged, identify the records"
    ),
    "evidence.many-values.report": "but its many values, released unchanged, identify the records",
    "evidence.seen": "but people who meet a person may know it too",
    "evidence.seen-as": "but people who meet a person may know it too ({what})",
    "evidence.most-frequent": "{values} values; the most frequent one is in {share} of the records",
    "evidence.most-frequent.report": "its most frequent value is in {share} of the records",
    "evidence.period": "the name tells a period: it is what was done or measured in it",
    "evidence.items": "one of {columns} columns with the same few answers, as of a questionnaire",
    "evidence.items.report": "columns with the same few answers are a questionnaire",
    "evidence.twin": "it differs where {detail} does, which is sensitive",
    "evidence.company": (
        "{columns} other columns are measured or told in confidence, and its name does not say "
        "that others know it"
    ),
    "evidence.company.report": (
        "most other columns are measured or told in confidence, and its name does not say that "
        "others know it"
    ),
    "evidence.weight": (
        "probably a sampling weight: weights depend on the strata of a survey and so reveal them; "
        "insensitive only if the strata are not secret"
    ),
    "evidence.unknown": "assumed knowable: no evidence either way",
    "evidence.tells": (
        "1 value distinguishes {share} of the pairs of records",
        "{values} values distinguish {share} of the pairs of records",
    ),
    "evidence.tells.report": "its values distinguish {share} of the pairs of records",
    "evidence.alone": ("one record has a unique value", "{records} records have a unique value"),
    "evidence.nothing-to-recode": (
        "no column is a quasi-identifier: the suggested policy does not run until one is"
    ),
    "evidence.named": "the name suggests '{what}'",
    "evidence.hinted": "the name suggests it",
    "evidence.no-values": "it has no values",
    "evidence.possible": "{share} of the values could be one",
    "evidence.unusual": "{share} of the values have a common form of it, and most are distinct",
    "evidence.form": "{share} of the values are {what}",
    "evidence.international-phones": (
        "{share} of the values are telephone numbers with a country code"
    ),
    "evidence.national-phones": (
        "{share} of the values are telephone numbers in a national numbering plan"
    ),
    "evidence.names": "{share} of the values look like names",
    "evidence.full-names": "{share} of the values are full names with a common given name",
    "evidence.given-names": "{share} of the values have a common given name",
    "evidence.valid": "{share} of the values are valid {what}",
    "evidence.shuffled": "with their digits shuffled, {share} are valid",
    "evidence.account": "{share} of the values are numbers with {least} to {longest} digits",
    "evidence.account.report": "{share} of the values are long numbers",
    "evidence.house-numbers": "{share} of the values are words with a house number",
    "evidence.streets": "{share} of the values contain a type of street",
    "evidence.pairs": "{share} of the values are pairs of latitude and longitude",
    "evidence.latitudes": (
        "{share} of the values are within ±90 degrees and have two or more decimals (one kilometre "
        "or finer)"
    ),
    "evidence.longitudes": (
        "{share} of the values are within ±180 degrees and have two or more decimals (one "
        "kilometre or finer)"
    ),
    "evidence.unshared": "no two records share a value, as far as examined",
    "evidence.counter": "values are distinct and fill their range, like a counter",
    "evidence.serial": "values are distinct and have {digits} digits each, like serial numbers",
    "evidence.serial.report": (
        "values are distinct and have the same number of digits, like serial numbers"
    ),
    "evidence.pattern": (
        "values are distinct and follow one pattern of letters and digits, like record codes"
    ),
    "evidence.free-text": "values are texts of {words} words on average, and most are distinct",
    "evidence.free-text.report": "values are texts of several words, and most are distinct",
    "evidence.mentions": "{share} of the texts examined mention one",
}
