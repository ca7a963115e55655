"""The guard of the workbench, asked by requests that try to get round it."""

from __future__ import annotations

import hashlib
import http.client
import socket
from importlib.resources import files
from pathlib import Path

import pytest

from workbench_servers import Visitor, running

LIMIT = 1 << 16


@pytest.fixture(scope="module", name="bench")
def fixture_bench():
    """Give a running workbench with nothing open, and the addresses that it announced."""
    with running(upload_limit=LIMIT) as both:
        yield both


@pytest.fixture(name="visitor")
def fixture_visitor(bench):
    """Give somebody with a session."""
    return Visitor.enter(bench[1][-1])


def test_binds_loopback_alone(bench):
    """The socket of the server listens on 127.0.0.1 and on no other address."""
    workbench, _ = bench
    assert workbench.host == "127.0.0.1"
    others = {one[4][0] for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
            socket.create_connection((address, workbench.port), 1).close()


def test_token_works_once(bench):
    """A token that opened a session opens no other one; the next one is announced."""
    address = bench[1][-1]
    Visitor.enter(address)
    again = Visitor(bench[0].port).get(address.partition(str(bench[0].port))[2])
    assert again.status == 403
    assert "set-cookie" not in again.headers
    assert bench[1][-1] != address


@pytest.mark.parametrize("token", ["", "x", "%00", "é" * 8, "a" * 5000])
def test_wrong_token_opens_nothing(bench, token):
    """Whatever is no token is refused, and spends none."""
    from urllib.parse import quote

    answer = Visitor(bench[0].port).get(f"/enter?token={quote(token, safe='%')}")
    assert answer.status == 403
    assert Visitor.enter(bench[1][-1]).get("/").status == 200


def test_cookie_is_strict_and_hidden_from_scripts(bench):
    """The cookie is named by the port, HttpOnly and SameSite=Strict, and is no token."""
    address, port = bench[1][-1], bench[0].port
    answer = Visitor(port).get(address.partition(str(port))[2])
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == f"kanonym_workbench_{port}"
    parts = {part.strip().lower() for part in rest.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert rest.partition(";")[0] not in address


@pytest.mark.parametrize("path", ["/", "/static/workbench.css", "/p/x/columns", "/p/x/events"])
@pytest.mark.parametrize("cookie", ["", "kanonym_workbench_{port}=x", "other=y; broken"])
def test_no_page_without_a_session(bench, path, cookie):
    """Without the cookie of a session no page, file or stream is served."""
    port = bench[0].port
    answer = Visitor(port, cookie.format(port=port)).get(path)
    assert answer.status == 403
    assert "<" not in answer.text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", ""]
)
def test_foreign_host_is_refused(bench, visitor, host):
    """A name that was rebound to this machine is not answered (DNS rebinding)."""
    asked = host.format(port=bench[0].port) or " "
    assert visitor.get("/", host=asked).status in (400, 421)


def test_two_hosts_are_refused(bench, visitor):
    """A request that names two hosts is not answered."""
    connection = http.client.HTTPConnection("127.0.0.1", bench[0].port)
    connection.putrequest("GET", "/", skip_host=True)
    connection.putheader("Host", f"127.0.0.1:{bench[0].port}")
    connection.putheader("Host", "evil.example")
    connection.putheader("Cookie", visitor.cookie)
    connection.endheaders()
    assert connection.getresponse().status in (400, 421)
    connection.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": None, "Sec_Fetch_Site": "cross-site"},
        {"Origin": None, "Sec_Fetch_Site": "same-site"},
        {"Origin": None, "Sec_Fetch_Site": "none"},
        {"Origin": None, "Sec_Fetch_Site": None},
        {"Sec_Fetch_Site": "cross-site"},
    ],
)
@pytest.mark.parametrize("path", ["/language", "/open", "/upload", "/p/x/run/start"])
def test_forms_of_other_pages_are_refused(bench, visitor, path, headers):
    """What changes something is refused unless it says that it comes from this very page."""
    port = bench[0].port
    given = {name: value and value.format(port=port) for name, value in headers.items()}
    assert visitor.send("POST", path, {"language": "es"}, **given).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT"])
def test_other_methods_are_no_way_round(visitor, method):
    """Other unsafe methods are refused from other pages, and unknown to this one."""
    assert visitor.send(method, "/language", Origin="http://evil.example").status == 403
    assert visitor.send(method, "/language").status == 405


def test_form_of_this_page_is_taken(visitor):
    """A form of this page changes what it is for."""
    answer = visitor.post("/language", {"language": "es", "place": "/"})
    assert answer.status == 200
    assert '<html lang="es">' in answer.text


@pytest.mark.parametrize(
    "headers", [{"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": None}, {"Origin": "null"}]
)
def test_streams_of_other_pages_are_refused(visitor, headers):
    """A stream is refused unless it says that it comes from this very page."""
    assert visitor.get("/p/x/events", **headers).status == 403
    assert visitor.get("/p/x/events").status == 404


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_within_other_pages_are_refused(visitor, site):
    """No page or script of this server is given to a page of another origin."""
    assert visitor.get("/static/workbench.js", Sec_Fetch_Site=site).status == 403


@pytest.mark.parametrize("path", ["/", "/static/workbench.js", "/nothing", "/p/x/columns"])
def test_every_answer_has_the_headers(visitor, path):
    """Pages, files and errors alike allow no foreign content, no frame and no cache."""
    headers = visitor.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert headers["cache-control"] == "no-store"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static/../launch.py",
        "/static/..%2flaunch.py",
        "/static/%2e%2e/launch.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/..\\launch.py",
        "/static/workbench.css%00.txt",
        "//etc/passwd",
    ],
)
def test_no_file_beside_the_pages_own(visitor, path):
    """No path leads out of the folder of the pages' own files, and none lists it."""
    answer = visitor.get(path)
    assert answer.status in (400, 404, 405)
    assert "root:" not in answer.text
    assert "import" not in answer.text


def upload(content, name="t.csv"):
    """Return the body of an upload."""
    head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    return head.encode() + content + b"\r\n--b--\r\n"


MULTIPART = {"Content_Type": "multipart/form-data; boundary=b"}


def test_too_large_upload_is_refused_before_it_is_read(visitor):
    """A file beyond the limit is refused by the length that is declared."""
    answer = visitor.send("POST", "/upload", upload(b"x" * (2 * LIMIT)), **MULTIPART)
    assert answer.status == 413


def test_too_large_upload_without_a_length_is_refused(bench, visitor):
    """A file beyond the limit is refused while it is read, where no length is declared."""
    port = bench[0].port
    headers = {
        "Host": f"127.0.0.1:{port}",
        "Cookie": visitor.cookie,
        "Origin": f"http://127.0.0.1:{port}",
        "Content-Type": "multipart/form-data; boundary=b",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = upload(b"x" * (2 * LIMIT))
    parts = (body[i : i + 4096] for i in range(0, len(body), 4096))
    connection.request("POST", "/upload", parts, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize("length", ["-1", "x", "9" * 30])
def test_odd_lengths_are_refused(visitor, length):
    """A length that is no number, or beyond every limit, is not believed, and changes nothing."""
    try:
        answer = visitor.send("POST", "/language", b"language=es", Content_Length=length)
    except ConnectionResetError:
        pass  # the server may close before it has read the body
    else:
        assert answer.status in (400, 413)
    assert '<html lang="en"' in visitor.get("/").text


def test_two_sessions_do_not_see_each_other(bench, visitor, tmp_path, monkeypatch):
    """A project that one session opened is no page of another one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("age,town\n1,a\n2,b\n")
    answer = visitor.send("POST", "/open", {"path": str(tmp_path / "t.csv")})
    place = answer.headers["location"]
    other = Visitor.enter(bench[1][-1])
    assert visitor.get(place).status == 200
    assert other.get(place).status == 404
    listed = str(tmp_path / "t-project")
    assert listed in visitor.get("/").text
    assert listed not in other.get("/").text
    assert other.post(place.replace("/open", "/cancel")).status == 404


@pytest.mark.parametrize(
    "place", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_no_redirection_to_another_site(visitor, place):
    """A form of this page sends nobody elsewhere."""
    answer = visitor.send("POST", "/language", {"language": "en", "place": place})
    assert answer.headers["location"] == "/"


def test_the_script_of_others_is_the_one_that_was_looked_at():
    """The vendored htmx is the file whose hash the decision page states, and has its licence."""
    folder = files("kanonym.workbench") / "static"
    hashed = hashlib.sha256((folder / "htmx.min.js").read_bytes()).hexdigest()
    page = Path(__file__).parents[2] / "docs" / "decisions" / "0031-workbench.md"
    assert hashed in page.read_text("utf-8")
    assert "Zero-Clause BSD" in (folder / "htmx.LICENSE").read_text("utf-8")
