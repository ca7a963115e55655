"""Files in and out: CSV, JSON, Parquet, Arrow and Excel; written whole or not at all.

Formats go by the file's extension (`FORMATS`), a further `.gz` packs the text
formats. `-` is standard input or output; there, and for a pipe without extension,
the format of the input is told from its first bytes.

What a CSV cell means is written in `delimited` and `cells`; each other format has
types of its own, and only NaN is made null.
"""

from __future__ import annotations

from kanonym.data.files.disk import (
    atomic_write,
    check_output,
    refuse_url,
    sha256,
    write_bytes,
    write_text,
)
from kanonym.data.files.formats import FORMATS, Content, is_statistical, is_text, unread_parts
from kanonym.data.files.json_records import values_of_json
from kanonym.data.files.reading import (
    read_again,
    read_table,
    read_with_content,
    sheet_names,
    table_of,
)
from kanonym.data.files.text_cells import (
    CellTexts,
    differing_floats,
    differing_texts,
    formula_columns,
    parse_temporal,
    typed_texts,
    values_of_file,
)
from kanonym.data.files.writing import check_table_output, write_table

__all__ = [
    "FORMATS",
    "CellTexts",
    "Content",
    "atomic_write",
    "check_output",
    "check_table_output",
    "differing_floats",
    "differing_texts",
    "formula_columns",
    "is_statistical",
    "is_text",
    "parse_temporal",
    "read_again",
    "read_table",
    "read_with_content",
    "refuse_url",
    "sha256",
    "sheet_names",
    "table_of",
    "typed_texts",
    "unread_parts",
    "values_of_file",
    "values_of_json",
    "write_bytes",
    "write_table",
    "write_text",
]
