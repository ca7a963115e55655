"""The reasons of a profile; `….report` is said where counts of records and values are not told."""

from __future__ import annotations

from kanonym.language.speech import Sentences

SENTENCES: Sentences = {
    "evidence.given": "said to be a quasi-identifier",
    "evidence.trouble": "{detail}; as an identifier it is dropped until that is done",
    "evidence.trouble.report": (
        "it cannot be recoded as it is; as an identifier it is dropped until it can"
    ),
    "evidence.counts-records": (
        "its numbers count up without a gap: it numbers records, such as persons or households"
    ),
    "evidence.counts-groups": (
        "its numbers count up without a gap: it numbers groups of records, such as persons or "
        "households"
    ),
    "evidence.own-text": "{own} of {records} records have a text of their own",
    "evidence.own-text.report": "nearly all records have a text of their own",
    "evidence.entity": (
        "{values} values for {records} records: where it names persons or households with several "
        "records, it is their entity"
    ),
    "evidence.entity.report": (
        "fewer values than records: where it names persons or households with several records, "
        "it is their entity"
    ),
    "evidence.constant": "the same in every record: it tells nobody apart",
    "evidence.constant-sensitive": (
        "the same in every record: who is known to be in the table is known to have it, and no "
        "recoding of other columns changes that"
    ),
    "evidence.name": "its name says: {what}",
    "evidence.name-sensitive": "its name says: {what}, which is sensitive",
    "evidence.amount": (
        "but an amount with {values} values, released unchanged, names who is known to have it: "
        "recoded as a quasi-identifier, it does not"
    ),
    "evidence.amount.report": (
        "but an amount with many values, released unchanged, names who is known to have it: "
        "recoded as a quasi-identifier, it does not"
    ),
    "evidence.many-values": (
        "but {values} values for {records} records, released unchanged, name the records"
    ),
    "evidence.many-values.report": "but its many values, released unchanged, name the records",
    "evidence.seen": "but people who meet a person may know it, too",
    "evidence.seen-as": "but people who meet a person may know it, too ({what})",
    "evidence.most-frequent": "{values} values, the most frequent one in {share} of the records",
    "evidence.most-frequent.report": "its most frequent value is in {share} of the records",
    "evidence.weight": (
        "a sampling weight, it seems: weights differ by the strata of a survey and so tell them; "
        "insensitive only where the strata are no secret"
    ),
    "evidence.unknown": "nothing says that an intruder cannot know it",
    "evidence.tells": (
        "1 value tells {share} of the pairs of records apart",
        "{values} values tell {share} of the pairs of records apart",
    ),
    "evidence.tells.report": "its values tell {share} of the pairs of records apart",
    "evidence.alone": (
        "one record has a value that no other has",
        "{records} records have a value that no other has",
    ),
    "evidence.nothing-to-recode": (
        "no column is a quasi-identifier: the suggested policy does not run until one of them is"
    ),
    "evidence.named": "the column's name says '{what}'",
    "evidence.hinted": "the column's name hints at it",
    "evidence.no-values": "it has no values",
    "evidence.possible": "{share} of the values can be such",
    "evidence.unusual": "{share} of the values have a usual form of it, but most differ",
    "evidence.form": "{share} of the values are {what}",
    "evidence.international-phones": (
        "{share} of the values are telephone numbers with the code of a country"
    ),
    "evidence.national-phones": (
        "{share} of the values are telephone numbers in a country's numbering plan"
    ),
    "evidence.names": "{share} of the values look like names",
    "evidence.full-names": "{share} of the values are full names with a common given name",
    "evidence.given-names": "{share} of the values have a common given name",
    "evidence.valid": "{share} of the values are valid {what}",
    "evidence.shuffled": "of the same digits shuffled, {share} are valid",
    "evidence.account": "{share} of the values are numbers of {least} to {longest} digits",
    "evidence.account.report": "{share} of the values are long numbers",
    "evidence.house-numbers": "{share} of the values are words with a house number",
    "evidence.streets": "{share} of the values name a kind of street",
    "evidence.pairs": "{share} of the values are pairs of a latitude and a longitude",
    "evidence.latitudes": (
        "{share} of the values lie within 90 degrees and have two decimals or more, a kilometre "
        "or finer"
    ),
    "evidence.longitudes": (
        "{share} of the values lie within 180 degrees and have two decimals or more, a kilometre "
        "or finer"
    ),
    "evidence.unshared": "no two records share a value that was looked at",
    "evidence.counter": "values differ and fill their range, as a counter does",
    "evidence.serial": "values differ and have {digits} digits each, as serial numbers have",
    "evidence.serial.report": (
        "values differ and have equally many digits, as serial numbers have"
    ),
    "evidence.pattern": (
        "values differ and have one pattern of letters and digits, as codes of records have"
    ),
    "evidence.free-text": "values are texts of {words} words on average, and most differ",
    "evidence.free-text.report": "values are texts of several words, and most differ",
    "evidence.mentions": "{share} of the texts that were read mention one",
}
