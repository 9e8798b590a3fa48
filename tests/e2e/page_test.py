"""The page's files as a browser gets them."""

import re

import pytest

TYPES = {
    "/": "text/html; charset=utf-8",
    "/main.js": "text/javascript; charset=utf-8",
    "/style.css": "text/css; charset=utf-8",
    "/icon.svg": "image/svg+xml",
}
PUBLIC = {"Authorization": None}


def files_of(server) -> set[str]:
    """The document and all that it and its scripts name."""
    found, todo = set(), ["/"]
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        text = server.call("GET", path, headers=PUBLIC).body.decode()
        todo += re.findall(r'(?:src|href)="(/[^"]+)"', text)
        todo += [f"/{name}" for name in re.findall(r"from '\./([^']+)'", text)]
    return found


def test_everything_that_the_page_names_is_served_without_a_login(server):
    found = files_of(server)
    assert {"/", "/main.js", "/events.js", "/style.css", "/icon.svg"} <= found
    for path in found:
        answer = server.call("GET", path, headers=PUBLIC)
        assert answer.status == 200, path
        assert answer.body.decode()


@pytest.mark.parametrize("path", TYPES)
def test_headers_let_the_page_do_nothing_but_its_own(server, path):
    answer = server.call("GET", path, headers=PUBLIC)
    assert answer.headers["Content-Type"] == TYPES[path]
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy.pop("default-src") == "'none'"
    assert policy.pop("require-trusted-types-for") == "'script'"
    assert set(policy.values()) <= {"'self'", "'none'"}
    assert {"script-src", "style-src", "connect-src", "base-uri", "form-action", "frame-ancestors"} <= set(policy)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_the_document_is_stored_nowhere_and_its_files_are_asked_for_by_tag(server):
    document = server.call("GET", "/", headers=PUBLIC)
    assert document.headers["Cache-Control"] == "no-store"
    assert "ETag" not in document.headers
    script = server.call("GET", "/main.js", headers=PUBLIC)
    assert script.headers["Cache-Control"] == "no-cache"
    again = server.call("GET", "/main.js", headers=PUBLIC | {"If-None-Match": script.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    other = server.call("GET", "/main.js", headers=PUBLIC | {"If-None-Match": '"other"'})
    assert (other.status, other.body) == (200, script.body)


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(server):
    for path in files_of(server):
        text = server.call("GET", path, headers=PUBLIC).body.decode()
        outside = set(re.findall(r"(?:https?:)?//[a-z0-9.]+\.[a-z]+", text)) - {"http://www.w3.org"}
        assert not outside, path
    document = server.call("GET", "/", headers=PUBLIC).body.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", document)


def test_only_reads_of_files_that_exist_are_answered(server):
    assert server.call("HEAD", "/", headers=PUBLIC).status == 200
    refused = server.call("POST", "/main.js", {}, PUBLIC)
    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")
    for path in ("/index.html", "/main.js/", "/../main.js", "/%6dain.js", "/none.js"):
        assert server.call("GET", path, headers=PUBLIC).status in (400, 404), path


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_the_page_is_served_under_our_own_name_only(server, headers):
    assert server.call("GET", "/", headers=PUBLIC | headers).status in (403, 421)
