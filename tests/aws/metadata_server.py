"""A loopback server that plays STS, container endpoints and the instance metadata service. Answers depend
on the request alone, so two clients that ask the same get the same credentials."""

import datetime
import hashlib
import http.server
import json
import re
import threading
import urllib.parse


def later(**duration):
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(**duration)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def assumed(action, role, digest):
    """STS's answer, with credentials that follow from the digest."""
    session_arn = role.replace(":iam:", ":sts:").replace(":role/", ":assumed-role/") + "/s"
    return f"""<{action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><{action}Result>
<Credentials>
<AccessKeyId>ASIA{digest[:16].upper()}</AccessKeyId>
<SecretAccessKey>{digest[16:40]}</SecretAccessKey>
<SessionToken>{digest[40:]}</SessionToken>
<Expiration>{later(hours=1)}</Expiration>
</Credentials>
<AssumedRoleUser><Arn>{session_arn}</Arn><AssumedRoleId>x</AssumedRoleId></AssumedRoleUser>
</{action}Result></{action}Response>"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body="", content_type="text/plain"):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        kind, _, rest = self.path.lstrip("/").partition("/")
        if kind == "container":
            self.container(rest)
        elif kind.startswith("imds-"):
            self.imds(kind[5:], rest)
        else:
            self.answer(404)

    do_PUT = do_GET

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        role = form["RoleArn"][0]
        if role.endswith("/denied"):
            self.answer(
                403,
                "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
                "text/xml",
            )
            return
        signed_by = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
        facts = [
            role,
            form.get("ExternalId"),
            form.get("DurationSeconds"),
            form.get("WebIdentityToken"),
            signed_by and signed_by.group(1),
        ]
        session = form["RoleSessionName"][0]
        facts.append(None if "-session-" in session else session)  # names that nobody chose differ
        digest = hashlib.sha256(repr(facts).encode()).hexdigest()
        self.answer(200, assumed(form["Action"][0], role, digest), "text/xml")

    def container(self, mode):
        token = self.headers.get("Authorization", "none")
        answer = {
            "AccessKeyId": "ASIACONTAINER",
            "SecretAccessKey": f"by {token}",
            "Token": "t",
            "Expiration": later(hours=1),
            "AccountId": "123456789012",
        }
        if mode == "missing-token":
            del answer["Token"]
        if mode == "needs-token" and token == "none":
            self.answer(401, "who?")
        elif mode == "broken":
            self.answer(200, "{not json")
        elif mode == "error":
            self.answer(500, "down")
        else:
            self.answer(200, json.dumps(answer), "application/json")

    def imds(self, mode, path):
        session = self.headers.get("x-aws-ec2-metadata-token")
        if path == "latest/api/token":
            statuses = {"v1": 404, "forbidden": 403, "bad": 400, "flaky": 500}
            self.answer(statuses.get(mode, 200), "TOKEN" if mode not in statuses else "")
        elif mode not in ("v1", "forbidden", "flaky") and session != "TOKEN":
            self.answer(401)
        elif path == "latest/meta-data/iam/security-credentials/":
            self.answer(404 if mode == "no-role" else 200, "" if mode == "empty" else "my-role")
        elif path == "latest/meta-data/iam/security-credentials/my-role":
            answer = {
                "Code": "Success",
                "AccessKeyId": "ASIAINSTANCE",
                "SecretAccessKey": f"with {session}",
                "Token": "t",
                "Expiration": later(hours=6),
            }
            if mode == "unauthorized":
                answer = {"Code": "AssumeRoleUnauthorizedAccess", "Message": "EC2 cannot assume the role"}
            if mode == "expired":
                answer["Expiration"] = later(hours=-1)
            self.answer(200, "{broken" if mode == "broken" else json.dumps(answer))
        else:
            self.answer(404)


class MetadataServer:
    def __enter__(self):
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
