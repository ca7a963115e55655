"""`kanonym sigo` against SIGO itself: its recorded runs, and what we do where it goes wrong."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parents[2].parent / "shared" / "golden" / "sigo"
RUNS = sorted(folder.name for folder in GOLDEN.iterdir()) if GOLDEN.is_dir() else []
# One build of SIGO prints the least and largest value of a cluster, the other its cell.
RANGES = ("demo_general_k6_id",)

TWELVE = b"".join(b'{"x":%d,"y":%d,"z":"%c"}\n' % (i, 7 * i % 12, b"abc"[i % 3]) for i in range(12))


def records(output):
    """Return the objects of JSON Lines."""
    return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def failed(kanonym):
    """Return a function that runs a command that must fail with 1, and gives its ERR line."""

    def run(line: str, *more: str, stdin: bytes = TWELVE) -> str:
        code, out, error = kanonym(line, *more, stdin=stdin)
        errors = [one for one in error.splitlines() if " ERR " in one]
        assert (code, out, len(errors)) == (1, b"", 1)
        assert "Traceback" not in error
        return errors[0].partition(" ERR ")[2]

    return run


# --- SIGO's own runs ---------------------------------------------------------


@pytest.mark.skipif(not RUNS, reason="needs ../shared/golden/sigo beside the checkout")
@pytest.mark.parametrize("name", RUNS)
def test_runs_are_those_of_sigo(kanonym, folder, name):
    """Rows, their order, their values and the exit code of a recorded run of SIGO are ours."""
    place = GOLDEN / name
    for file in place.iterdir():
        shutil.copy(file, folder)
    words = shlex.split((place / "cmd").read_text("utf-8"))
    assert words[0] == "$SIGO"
    assert words[-2:] == ["<", "input.json"]
    more = ["--bounds", "range"] if name in RANGES else []
    ran = kanonym("sigo", *words[1:-2], *more, stdin=(place / "input.json").read_bytes())
    assert ran.code == int((place / "rc").read_text("utf-8"))
    assert records(ran.text) == records((place / "expected.json").read_text("utf-8"))


# --- options -----------------------------------------------------------------


def test_a_configuration_is_read_and_flags_go_before_it(kanonym, folder):
    """What the file says counts where no flag says otherwise; sigo.yml is found, and told."""
    form = "version: '1'\nkAnonymity: 4\naggregation: meanAggregation\nrules: [{name: x}]\n"
    (folder / "sigo.yml").write_text(form, "utf-8")
    unasked = kanonym("sigo -i id", stdin=TWELVE)
    assert "configuration=sigo.yml" in unasked.error
    assert [row["id"] for row in records(unasked.text)] == [1] * 6 + [2] * 6
    (folder / "other.yml").write_text(form, "utf-8")
    (folder / "sigo.yml").write_text("no configuration", "utf-8")
    asked = kanonym("sigo -c other.yml -i id -k 3", stdin=TWELVE)
    assert {row["id"] for row in records(asked.text)} == {1, 2, 3, 4}
    assert {row["x"] for row in records(asked.text)} == {1, 4, 7, 10}


def test_absent_keys_of_a_configuration_keep_the_defaults(kanonym, folder):
    """Where a configuration is silent, SIGO's defaults hold; there, they would become 0."""
    (folder / "sigo.yml").write_text("rules:\n  - name: x\n", "utf-8")
    ran = kanonym("sigo", stdin=TWELVE)
    assert "Method=NoAnonymizer" in ran.error
    assert "k-anonymity=3 l-diversity=1" in ran.error
    assert records(ran.text) == records(TWELVE)


@pytest.mark.parametrize("flag", [["--entropy"], ["--entropy=true"], ["--entropy", "true"]])
def test_entropy_has_its_sign(kanonym, flag):
    """Entropy l-diversity divides the table where the halves are diverse; SIGO never does."""
    ran = kanonym("sigo -k 3 -l 3 -q x -s z -i id", *flag, stdin=TWELVE)
    assert [row["id"] for row in records(ran.text)] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    assert "k-anonymity=3 l-diversity=3" in ran.error.splitlines()[-1]


def test_entropy_asks_more_than_distinct_values(kanonym):
    """Two values of which one is rare are distinct, but by entropy fewer than two."""
    cells = [b'{"x":%d,"z":%d}' % (i, i % 4 == 0) for i in range(8)]
    stdin = b"\n".join([*cells, b'{"x":8,"z":1}', b'{"x":9,"z":1}', b'{"x":10,"z":1}'])
    line = "sigo -k 2 -l 2 -q x -s z"
    assert " ERR " in kanonym(f"{line} --entropy", stdin=stdin).error
    assert kanonym(f"{line} --entropy=false", stdin=stdin).code == 0
    assert kanonym(f"{line} --entropy false", stdin=stdin).code == 0


def test_columns_that_nobody_names_stay(kanonym):
    """All columns come out; only quasi-identifiers are replaced, and their place is kept."""
    stdin = (
        b'{"name":"A","x":1,"n":{"b": [1.10]}}\n{"x":2,"name":"B"}\n{"name":"C","x":4,"q":null}\n'
    )
    ran = kanonym("sigo -q x -a meanAggregation -i id", stdin=stdin)
    assert ran.text == (
        '{"name":"A","x":2.33,"n":{"b":[1.10]},"id":1}\n'
        '{"x":2.33,"name":"B","id":1}\n'
        '{"name":"C","x":2.33,"q":null,"id":1}\n'
    )


def test_texts_and_dates_need_no_preparation(kanonym):
    """Texts are ordered by their letters and dates by time; general prints first and last."""
    rows = [
        ("oak", "2020-05-01"),
        ("ash", "2021-01-01"),
        ("elm", "2019-01-01"),
        ("fir", "2018-07-01"),
    ]
    stdin = "\n".join(f'{{"tree":"{tree}","day":"{day}"}}' for tree, day in rows).encode()
    ran = kanonym("sigo -k 2 -q tree,day -a general --bounds range", stdin=stdin)
    assert [tuple(row.values()) for row in records(ran.text)] == [
        (["ash", "elm"], ["2019-01-01", "2021-01-01"]),
        (["ash", "elm"], ["2019-01-01", "2021-01-01"]),
        (["fir", "oak"], ["2018-07-01", "2020-05-01"]),
        (["fir", "oak"], ["2018-07-01", "2020-05-01"]),
    ]


@pytest.mark.parametrize("method", ["laplaceNoise", "gaussianNoise", "swapping"])
def test_a_seed_repeats_a_run(kanonym, method):
    """With a seed a run repeats to the byte; another seed gives other values."""
    first, again, other = (
        kanonym(f"sigo -q x,y -a {method} --seed {seed}", stdin=TWELVE).out for seed in (1, 1, 2)
    )
    assert first == again != other


def test_output_goes_to_a_file(kanonym, folder):
    """`--output` writes a file and nothing to standard output."""
    ran = kanonym("sigo -q x -o out.jsonl", stdin=TWELVE)
    assert ran.out == b""
    assert records((folder / "out.jsonl").read_bytes()) == records(TWELVE)


def test_profiling_is_taken_and_not_done(kanonym, folder):
    """A script that asks for a profile runs, is told that there is none, and gets its rows."""
    plain = kanonym("sigo -k 6 -q x,y -a meanAggregation", stdin=TWELVE)
    asked = kanonym("sigo -k 6 -q x,y -a meanAggregation -p", stdin=TWELVE)
    assert (asked.code, asked.out) == (0, plain.out)
    assert " WRN No profile is written" in asked.error
    assert not (folder / "cpu.pprof").exists()


def test_an_empty_input_is_a_warning(kanonym):
    """Nothing in is nothing out, exit code 0, and a warning."""
    ran = kanonym("sigo -q x")
    assert (ran.code, ran.out) == (0, b"")
    assert "WRN standard input holds no record" in ran.error


# --- merged files ------------------------------------------------------------


def test_a_merged_file_is_reidentified(kanonym):
    """`-a reidentification` finds the column of `--args` for the rows flagged 1."""
    stdin = (
        b'{"original":0,"x":1,"z":"a"}\n{"original":0,"x":2,"z":"a"}\n{"original":1,"x":1}\n'
        b'{"original":0,"x":8,"z":"a"}\n{"original":0,"x":9,"z":"b"}\n{"original":1,"x":9}\n'
    )
    ran = kanonym("sigo -k 3 -l 2 -q x -s original -a reidentification --args z", stdin=stdin)
    found = [row for row in records(ran.text) if row["original"]]
    assert found == [
        {"original": 1, "x": 1, "z": "a", "similarity": 1},
        {"original": 1, "x": 9, "z": "b", "similarity": 1},
    ]
    assert len(records(ran.text)) == 6


def test_reidentification_takes_its_thresholds(kanonym, folder):
    """The least similarity is 0.5 unless asked otherwise, and lies between 0 and 1."""
    (folder / "masked.json").write_text('[{"x":0,"z":"a"},{"x":2,"z":"b"}]', "utf-8")
    (folder / "open.csv").write_text("x,name\n0,A\n0.9,B\n2,C\n", "utf-8")
    line = "sigo reidentification -q x -s z -o open.csv -m masked.json"
    names = [row["name"] for row in records(kanonym(f"{line} -t 0.99").text)]
    assert len(names) == 0
    assert [row["name"] for row in records(kanonym(line).text)] == ["A", "B", "C"]
    assert kanonym(f"{line} -t 1.5").code == 2


# --- refusals ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "indicate the list of quasi-identifiers"),
        ("-q x -a mean", "did you mean 'meanAggregation'?"),
        ("-q x -k 13", "k-anonymity: required 13, the best possible is 12"),
        ("-q x -l 4 -s z", "l-diversity of 'z': required 4, the best possible is 3"),
        ("-q X", "standard input: no such column: 'X'"),
        ("-q x -s Z", "no such column: 'Z'"),
        ("-q x,x", "'x' is named twice"),
        ("-q x -s x", "'x' is a quasi-identifier and sensitive"),
        ("-q x -i x", "-i x would overwrite"),
        ("-q x -c no.yml", "no.yml: no such configuration file"),
        ("-q z -a meanAggregation", "'z' holds texts, and meanAggregation needs numbers or dates"),
        ("-q x -a reidentification -s z", "reidentification needs one column"),
        ("-q x -o no/out.jsonl", "the folder no does not exist"),
    ],
)
def test_what_cannot_be_done_is_refused(failed, line, reason):
    """An impossible request ends with 1, one ERR line that says why, and no output."""
    assert reason in failed(f"sigo {line}")


@pytest.mark.parametrize(
    ("stdin", "reason"),
    [
        ('{"x":1}\n{"x":2\n{"x":3}', "standard input:2:7: Expecting ',' or '}'"),
        ('{"x":1}\n\n{"x":null}\n{"x":3}', "standard input:3: quasi-identifier 'x' is null"),
        ('{"x":1}\n{"y":2}\n{"x":3}', "standard input:2: quasi-identifier 'x' is missing"),
        ('{"x":1}\n{"x":"?"}\n{"x":3}', "standard input:2: quasi-identifier 'x': \"?\" is a text"),
        ('{"x":"1"}\n{"x":"Inf"}\n{"x":3}', "'x': \"Inf\" is not a finite number"),
        ("rubbish", "standard input:1:1: neither a JSON object nor a CSV header with 'x'"),
    ],
)
def test_bad_input_is_named(failed, stdin, reason):
    """Bad input ends with 1 and says line, column and value; nothing of it is printed."""
    assert reason in failed("sigo -q x -a laplaceNoise", stdin=stdin.encode())


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        ("-k 0", "-k"),
        ("-k -1", "-k"),
        ("-l -1", "-l"),
        ("-v loud", "-v"),
        ("--bounds no", "bounds"),
    ],
)
def test_wrong_usage_names_the_flag(kanonym, line, flag):
    """A flag out of its range is wrong usage: exit code 2, the flag is named."""
    ran = kanonym(f"sigo -q x {line}", stdin=TWELVE)
    assert (ran.code, ran.out) == (2, b"")
    assert flag in ran.error


def test_faults_of_a_configuration_are_listed(failed, folder):
    """All that is wrong in a configuration is told at once, an unknown key with the nearest."""
    form = "kAnonimity: 5\nlDiversity: -1\naggregation: [mean]\nsensitives: z\nrules: [{nom: x}]\n"
    (folder / "c.yml").write_text(form, "utf-8")
    error = failed("sigo -c c.yml")
    assert "c.yml: 5 faults" in error


# --- the log -----------------------------------------------------------------

STEPS = [
    "Start SIGO",
    "Reading source",
    "12 individuals to anonymize",
    "Tree building",
    "Cluster Anonymization",
    "End of Anonymization",
]


def test_the_log_is_sigos(kanonym):
    """Standard error tells SIGO's steps with time, level and fields; no colour on a pipe."""
    ran = kanonym("sigo -q x,y -s z -k 3 -l 2 -i id", stdin=TWELVE)
    told = [line for line in ran.error.splitlines() if "Compiling" not in line]
    words = [line.split(" ", 2) for line in told]
    assert all(time[-2:] in ("AM", "PM") and ":" in time for time, *_ in words)
    assert {level for _, level, _ in words} == {"INF"}
    assert all(text.startswith(step) for (*_, text), step in zip(words, STEPS, strict=True))
    assert words[0][2] == (
        'Start SIGO Cluster-Info=id Method=NoAnonymizer Quasi-Identifiers=["x","y"] '
        'Sensitive=["z"] configuration= k-anonymity=3 l-diversity=2'
    )
    assert words[-1][2] == "End of Anonymization Clusters=4 k-anonymity=3 l-diversity=3"


def test_the_log_is_json_if_asked(kanonym):
    """`--log-json` writes an object a line, errors included."""
    ran = kanonym("sigo -q x -v debug --log-json", stdin=TWELVE)
    told = [json.loads(line) for line in ran.error.splitlines()]
    steps = [line["message"] for line in told if line["level"] == "info"]
    assert [step for step in steps if "Compiling" not in step] == STEPS
    sizes = [line["Size"] for line in told if line["level"] == "debug"]
    assert sizes == [3, 3, 3, 3]
    error = json.loads(kanonym("sigo --log-json", stdin=TWELVE).error)
    assert error["level"] == "error"
    assert error["message"].startswith("indicate the list")


@pytest.mark.parametrize(("level", "shown"), [("none", 0), ("0", 0), ("warn", 1), ("2", 1)])
def test_verbosity_limits_the_log(kanonym, level, shown):
    """Only lines of the level asked for, and of graver ones, are shown."""
    ran = kanonym(f"sigo -q x -l 2 -v {level}", stdin=TWELVE)
    assert ran.error.count("\n") == shown
    assert ("-l 2 asks nothing without -s" in ran.error) == bool(shown)


def test_colour_is_a_choice(kanonym):
    """`--color yes` colours the log wherever it goes."""
    assert "\x1b[32mINF\x1b[0m" in kanonym("sigo -q x --color yes", stdin=TWELVE).error
    assert "\x1b[" not in kanonym("sigo -q x --color no", stdin=TWELVE).error


@pytest.mark.parametrize("place", ["{} sigo -q x", "sigo {} -q x", "sigo -q x {}"])
def test_options_of_every_command_work_anywhere(kanonym, place):
    """Before `sigo` and after it; only `-v` is SIGO's own."""
    written = '{"x":1,"z":"caf\u00e9"}\n'.encode("windows-1252") * 3
    assert "is not UTF-8" in kanonym(place.format("--threads 1"), stdin=written).error
    ran = kanonym(place.format("--encoding windows-1252 --quiet"), stdin=written)
    assert (ran.code, ran.error) == (0, "")
    assert records(ran.out)[0]["z"] == "caf\u00e9"
    assert "Traceback" in kanonym(place.format("--debug"), stdin=b'{"x":null}').error
    assert kanonym(place.format("--version")).out.decode().startswith("kanonym ")


def test_re_identification_takes_the_encoding(kanonym, folder):
    """Both files are read by `--encoding`."""
    for name in ("open.json", "masked.json"):
        (folder / name).write_bytes('{"x":1,"z":"caf\u00e9"}\n'.encode("windows-1252") * 3)
    files = "--load-original open.json --load-masked masked.json --encoding windows-1252"
    ran = kanonym(f"sigo reidentification -q x -s z {files}")
    assert records(ran.out)[0]["sensitive"] == ["caf\u00e9"]


def test_a_value_written_in_several_ways_is_one_value(failed):
    """7, 7.0 and "7" are no two sensitive values: a cluster of them is refused."""
    lines = [b'{"x":%d,"s":%s}' % (i, (b"7", b"7.0", b'"7"')[i % 3]) for i in range(9)]
    assert "required 2, the best possible is 1" in failed(
        "sigo -q x -s s -l 2", stdin=b"\n".join(lines)
    )


# --- in a pipe ---------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes of this kind")
def test_a_pipe_carries_lines_of_json():
    """In a pipe, standard output carries nothing but the records."""
    code = "import kanonym.cli; kanonym.cli.main()"
    read = "import json, sys; print(sum(json.loads(line)['x'] for line in sys.stdin))"
    words = [sys.executable, "-c", code, "sigo", "-q", "x", "-a", "medianAggregation"]
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe) as sigo,
        subprocess.Popen([sys.executable, "-c", read], stdin=sigo.stdout, stdout=pipe) as reader,
    ):
        sigo.stdin.write(TWELVE)
        sigo.stdin.close()
        total, log = reader.stdout.read(), sigo.stderr.read()
    assert (sigo.returncode, total.strip()) == (0, b"66")
    assert b"INF End of Anonymization" in log
