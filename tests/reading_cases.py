"""Cases of how a column is read: tables as people write them, and a judge of what is released.

The form of a case is that of `golden/reading.json`, which describes its fields. The judge knows
the value of each cell that it wrote, and takes labels apart without the library.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
import sqlite3
from itertools import cycle, islice
from typing import Any, NamedTuple

import pandas as pd
import xlsxwriter
import yaml

ARABIC, PERSIAN = "٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹"
BLANK = {"en": {"full": [""] * 12, "short": [""] * 12}}
K = 5
DAYS, MINUTES = dt.timedelta(days=1), dt.timedelta(minutes=1)


class Cell(NamedTuple):
    """A cell as text, the place of its value in the order, and its value with its own type."""

    text: str | None
    value: float | None
    typed: Any = None


def cells_of(parts, months=BLANK):
    """Return the cells that a case lists, one by one."""
    cells = []
    for part in parts:
        if isinstance(part, dict) and "repeat" in part:
            cells += cells_of(part["cells"], months) * part["repeat"]
        elif isinstance(part, dict) and "range" in part:
            first, last, step = [*part["range"], 1][:3]
            cells += [_number(one, part) for one in range(first, last + 1, step)]
        elif isinstance(part, dict):
            (kind,) = part.keys() & {
                "dates",
                "datetimes",
                "times",
                "months",
                "date",
                "time",
                "datetime",
                "error",
            }
            cells += _moments(kind, part, months)
        elif part is None or isinstance(part, str):
            cells.append(Cell(part, None, part))
        else:
            cells.append(Cell(str(part), float(part), part))
    return cells


def _number(number, part):
    divide = part.get("divide", 1)
    value = number / divide
    if not set(part) - {"range"}:
        return Cell(str(number), float(number), number)
    text = f"{abs(value):.{part.get('decimals', 0)}f}"
    whole, point, fraction = text.partition(".")
    mark = part.get("thousands")
    if mark is not None and part.get("grouping") == "indian" and len(whole) > 3:
        whole = re.sub(r"(?<=[0-9])(?=(?:[0-9]{2})+$)", mark, whole[:-3]) + mark + whole[-3:]
    elif mark is not None:
        whole = f"{int(whole):,}".replace(",", mark)
    if part.get("leading_zero", True) is False and whole == "0":
        whole = ""
    text = whole + (part.get("decimal", ".") if point else "") + fraction
    script = {"arabic": ARABIC, "persian": PERSIAN}.get(part.get("digits"))
    if script:
        text = text.translate(str.maketrans("0123456789", script))
    form = part["one"] if value == 1 and "one" in part else part.get("text", "{}")
    negative = part.get("negative", "-")
    if value < 0 and negative == "()":
        return Cell(f"({form.format(text)})", value)
    if value < 0 and negative == "after":
        return Cell(f"{form.format(text)}-", value)
    return Cell(form.format(("" if value >= 0 else negative) + text), value)


def _moments(kind, part, months):
    """Return dates, times or months, one each step."""
    if kind in ("date", "time", "datetime", "error"):
        text = part[kind]
        read = {"date": dt.date, "time": dt.time, "datetime": dt.datetime}.get(kind)
        return [Cell(text, None, {"error": text} if read is None else read.fromisoformat(text))]
    first, last, *step = part[kind]
    if kind == "times":
        first, last = (f"2000-01-01T{one}" for one in (first, last))
    if kind == "months":
        ends = [int(one[:4]) * 12 + int(one[5:]) - 1 for one in (first, last)]
        moments = [dt.datetime(one // 12, one % 12 + 1, 1) for one in range(ends[0], ends[1] + 1)]
    else:
        now, end = dt.datetime.fromisoformat(first), dt.datetime.fromisoformat(last)
        width = step[0] * (DAYS if kind == "dates" else MINUTES)
        moments = [now + width * i for i in range((end - now) // width + 1)]
    return [_moment(kind, one, part, months) for one in moments]


def _moment(kind, moment, part, months):
    value = moment.timestamp()
    if kind == "months":
        value = moment.year * 12.0 + moment.month
    typed = {"dates": moment.date(), "times": moment.time()}.get(kind, moment)
    if "text" not in part:
        return Cell(typed.isoformat(), value, typed)
    names = months[part.get("language", "en")]
    known = {
        "B": names["full"][moment.month - 1],
        "b": names["short"][moment.month - 1],
        "p": "AM" if moment.hour < 12 else "PM",
        "I": f"{(moment.hour + 11) % 12 + 1:02}",
        "d": f"{moment.day:02}",
        "m": f"{moment.month:02}",
    }

    def directive(match):
        if match[0] == "%-d" and moment.day == 1 and "first" in part:
            return part["first"]
        text = known.get(match[2]) or moment.strftime(f"%{match[2]}")
        return text.lstrip("0") if match[1] else text

    text = re.sub("%(-?)([a-zA-Z])", directive, part["text"])
    text = {"upper": text.upper(), "lower": text.lower()}.get(part.get("case"), text)
    return Cell(text, value)


def table_of(case, months=BLANK):
    """Return the cells of a case, with the values that it states."""
    cells = [
        one._replace(typed=one.text) if one.typed is None else one
        for one in cells_of(case["cells"], months)
    ]
    stated = {}
    for text, value in case.get("values", ()):
        if isinstance(value, dict):
            ((side, number),) = value.items()
            stated[text] = number + {"from": 1, "above": 2, "to": -1, "below": -2}[side] * 1e-6
        elif isinstance(value, str):
            stated[text] = _place(value)
        else:
            stated[text] = float(value)
    left = {*case.get("exceptions", ()), *case.get("missing", ())}
    numeric = case["reads_as"] in ("number", "integer")

    def with_value(cell):
        if cell.text in left or cell.text is None:
            return cell._replace(value=None)
        if cell.text in stated:
            return cell._replace(value=stated[cell.text])
        if cell.value is None and numeric and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell.text):
            return cell._replace(value=float(cell.text))
        return cell

    if case["reads_as"] == "ordered":
        places = {text: float(i) for i, text in enumerate(case["order"])}
        return [cell._replace(value=places.get(cell.text)) for cell in cells]
    return [with_value(cell) for cell in cells]


def _place(text):
    """Return the place of a date, a month or a time in ISO 8601."""
    if re.fullmatch("[0-9]{4}-[0-9]{2}", text):
        return int(text[:4]) * 12.0 + int(text[5:])
    if re.match("[0-9]{2}:", text):
        text = f"2000-01-01T{text}"
    return dt.datetime.fromisoformat(text).timestamp()


def write_input(case, cells, folder):
    """Write the table of a case in its format, and return the words of the command for it."""
    name, layout = case["column"], case.get("layout", {})
    rows = [
        [arm, cell, f"d{number % 5}"]
        for number, (arm, cell) in enumerate(zip(cycle("ab"), cells, strict=False))
    ]
    header = ["arm", layout.get("name", name), "diagnosis"]
    kind = case["format"]
    if kind in ("csv", "tsv"):
        path = folder / f"t.{kind}"
        path.write_text(_delimited(header, rows, layout, kind), "utf-8")
    elif kind == "json":
        path = folder / "t.json"
        records = [dict(zip(header, [a, b.typed, c], strict=True)) for a, b, c in rows]
        path.write_text(json.dumps(records), "utf-8")
    elif kind == "xlsx":
        path = folder / "t.xlsx"
        _write_sheet(path, header, rows)
    else:
        path = folder / "t.sqlite"
        with sqlite3.connect(path) as base:
            base.execute(f"create table t (arm text, {name} {case['sql_type']}, diagnosis text)")
            base.executemany("insert into t values (?, ?, ?)", [[a, b.text, c] for a, b, c in rows])
        base.close()
        return [str(path), "--table", "t"]
    columns = case.get("declared", {}).get("columns")
    return [str(path), *(["--columns", ",".join(columns)] if columns else [])]


def _delimited(header, rows, layout, kind):
    separator = layout.get("separator", "\t" if kind == "tsv" else ",")
    texts = [[a, b.text, c] for a, b, c in rows]
    texts += layout.get("last_rows", [])
    if layout.get("header", True):
        texts.insert(0, header)
    lines = []
    for row in texts:
        line = io.StringIO()
        quoting = csv.QUOTE_ALL if layout.get("quoted") else csv.QUOTE_MINIMAL
        writer = csv.writer(line, delimiter=separator.strip(" ") or "\t", quoting=quoting)
        writer.writerow(["" if one is None else one for one in row])
        text = line.getvalue().removesuffix("\r\n")
        if separator.endswith(" "):
            text = separator.join(map(str, row))
        lines.append(text + layout.get("line_end", ""))
    if "first_line" in layout:
        lines.insert(0, layout["first_line"])
    return "\n".join(lines) + "\n"


def _write_sheet(path, header, rows):
    book = xlsxwriter.Workbook(path)
    sheet = book.add_worksheet()
    day, clock, moment = (
        book.add_format({"num_format": form})
        for form in ("yyyy-mm-dd", "hh:mm:ss", "yyyy-mm-dd hh:mm:ss")
    )
    sheet.write_row(0, 0, header)
    for number, row in enumerate(rows, 1):
        for place, one in enumerate(row):
            cell = one.typed if isinstance(one, Cell) else one
            if isinstance(cell, dict):
                sheet.write_formula(number, place, "=NA()", None, cell["error"])
            elif isinstance(cell, dt.datetime):
                sheet.write_datetime(number, place, cell, moment)
            elif isinstance(cell, dt.date | dt.time):
                own = day if isinstance(cell, dt.date) else clock
                sheet.write_datetime(number, place, cell, own)
            elif isinstance(cell, str):
                sheet.write_string(number, place, cell)
            elif cell is not None:
                sheet.write_number(number, place, cell)
    book.close()


def policy_of(case):
    """Return the text of a policy with the column as quasi-identifier, as the case declares it."""
    declared = {key: value for key, value in case.get("declared", {}).items() if key != "columns"}
    attribute = {"role": "quasi-identifier", **declared}
    if "hierarchy" in case:
        attribute["hierarchy"] = case["hierarchy"]
    policy = {
        "attributes": {case["column"]: attribute},
        "others": "insensitive",
        "models": [{"type": "k-anonymity", "k": case.get("k", K)}],
    }
    if case["format"] != "sqlite":
        policy["keep_order"] = True
    if "algorithm" in case:
        policy["algorithm"] = {"type": case["algorithm"]}
    return yaml.safe_dump(policy, allow_unicode=True, sort_keys=False)


def frame_of(case, cells):
    """Return the pandas table of a case."""
    typed = [cell.typed for cell in cells]
    column = pd.Series(typed, dtype="object")
    if case["dtype"] == "datetime":
        column = pd.to_datetime(column)
    elif case["dtype"] == "category":
        column = column.astype("category")
    elif case["dtype"] == "ordered":
        column = pd.Series(pd.Categorical(typed, categories=case["order"], ordered=True))
    arms = list(islice(cycle("ab"), len(cells)))
    diagnosis = [f"d{number % 5}" for number in range(len(cells))]
    return pd.DataFrame({"arm": arms, case["column"]: column, "diagnosis": diagnosis})


MARKED = {"integer", "number", "date", "datetime", "time", "ordered"}


def faults(case, cells, released, notes):
    """Return what is wrong with the released labels of a case and with what was said of it.

    released: the labels, in the order of the table where it has as many rows.
    """
    wrong = []
    known = {cell.text: cell.value for cell in cells if cell.value is not None}
    known |= {_as_programs(text): value for text, value in known.items()}
    every = {cell.text for cell in cells}
    ranked = case["reads_as"] in MARKED
    span = (max(known.values()) - min(known.values())) or 1 if known and ranked else 1
    losses = []
    aligned = len(cells) == len(released) and case["format"] != "sqlite"
    originals = cells if aligned else [None] * len(released)
    for label, cell in zip(released, originals, strict=True):
        ordinary = cell is None or cell.text in known
        if label in every and label not in known and label is not None:
            wrong += [f"missing {label!r} is released"] * (label in case.get("missing", ()))
            continue
        if label in (None, "*"):
            losses += [1.0] * (ordinary and label == "*")
            lost = ordinary and cell is not None and label is None
            wrong += [f"{cell.text!r} is released as null"] if lost else []
            continue
        ends = _ends(label, known if ranked else dict.fromkeys(every, 0.0))
        if ends is None or (not ranked and label.startswith("[")):
            wrong.append(f"label {label!r} is not made of cells")
        elif ranked:
            losses.append((ends[1] - ends[0]) / span)
            inside = cell is None or (ordinary and ends[0] <= cell.value <= ends[1])
            wrong += [] if inside else [f"{cell.text!r} is not in {label!r}"]
    if ranked and any(one.startswith("{") for one in released if one):
        wrong.append("numbers are released as lists")
    most = case.get("loss", 0.15)
    if losses and sum(losses) / len(losses) > most:
        wrong.append(f"loss {sum(losses) / len(losses):.3f}")
    if ranked and not losses:
        wrong.append("no ordinary cell is released")
    return wrong + note_faults(case, cells, notes)


def note_faults(case, cells, notes):
    """Return what is wrong with the sentences about a case."""
    if not case.get("note"):
        return []
    if case["column"] not in notes and not case.get("layout", {}).get("last_rows"):
        return ["nothing is said about the column"]
    odd = [
        one
        for kind in ("exceptions", "odd", "missing")
        for one in case.get(kind, ())
        if one is not None
    ]
    if case.get("layout", {}).get("last_rows"):
        row = len(cells) + 1
        return [] if str(row) in notes or str(row + 1) in notes else ["no row is named"]
    rows = [i + 1 for i, cell in enumerate(cells) if cell.text in odd]
    shown = {form.format(row) for row in rows[:1] for form in ("row {:,}", "row {}")}
    if odd and not any(one in notes for one in (*odd, *shown)):
        return ["neither row nor cell is named"]
    return []


def _ends(label, known):
    """Return the lowest and the highest value of a label; None where it has other parts."""
    if label in known:
        return known[label], known[label]
    if label[:1] + label[-1:] not in ("[]", "{}"):
        return None
    body = label[1:-1]
    for separator in ("; ", ", "):
        for parts in _parts(body, separator, label[0] == "["):
            if all(part in known for part in parts):
                values = [known[part] for part in parts]
                return (min(values), max(values)) if values[0] <= values[-1] else None
    return None


def _as_programs(text):
    """Return `0.05` of `.05`, an ISO 8601 text with its T, and a date of points as ISO 8601."""
    text = text.strip()
    text = re.sub(r"^(-?)\.", r"\g<1>0.", text)
    text = re.sub(r"^([0-9-]{10}) ([0-9])", r"\1T\2", text)
    return re.sub(r"^([0-9]{2})\.([0-9]{2})\.([0-9]{4})$", r"\3-\2-\1", text)


def _parts(body, separator, is_range):
    pieces = body.split(separator)
    if not is_range:
        yield pieces
        return
    for cut in range(1, len(pieces)):
        yield [separator.join(pieces[:cut]), separator.join(pieces[cut:])]
