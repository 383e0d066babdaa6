#!/usr/bin/env python3
"""Temporary credentials of a signed-in user, for the credential_process of AWS clients. Python 3.8 or later, nothing else.

It opens the browser once (authorization code with PKCE), keeps the refresh token and the credentials in a file that you alone
can read, and renews both. Calls at the same time wait for one another, since a refresh token can be used once.
"""

import argparse
import base64
import datetime
import fcntl
import hashlib
import http.server
import json
import os
import queue
import secrets
import shlex
import socket
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import webbrowser
import xml.etree.ElementTree

CALLBACK_PORTS = [28461, 28462, 28463]
SIGN_IN_SECONDS = 300
# AWS clients request new credentials 15 minutes before the old ones expire.
RENEW_BEFORE_SECONDS = 16 * 60


class Failure(Exception):
    """An error that the user can fix. No message contains a token."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


web = urllib.request.build_opener(NoRedirect)


def main():
    arguments = parse_arguments()
    # The output of the browser must not mix with the credentials.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        os.umask(0o077)
        with Store(arguments) as store:
            if arguments.sign_out:
                sign_out(arguments, store)
            else:
                credentials = current_credentials(arguments, store)
                output.write(as_shell(credentials) if arguments.shell else json.dumps(credentials) + "\n")
                output.flush()
    except Failure as failure:
        sys.exit(f"sluice-credentials: {failure}")
    except OSError as error:
        sys.exit(f"sluice-credentials: {error.strerror or type(error).__name__} {error.filename or ''}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--issuer", required=True, help="who signs you in, as an OpenID Connect issuer")
    parser.add_argument("--client-id", required=True, help="the issuer's client for data")
    parser.add_argument("--data-url", required=True, help="the data proxy")
    parser.add_argument("--account", required=True, help="your own account")
    parser.add_argument("--read-only", action="store_true", help="credentials that write nothing")
    parser.add_argument("--shell", action="store_true", help="print lines for a shell in place of a document")
    parser.add_argument("--sign-out", action="store_true", help="forget everything, and have the issuer forget it")
    return parser.parse_args()


def current_credentials(arguments, store):
    role = "ReadOnly" if arguments.read_only else "FullAccess"
    name = f"{arguments.data_url} {arguments.account} {role}"
    kept = store.content.get("credentials", {}).get(name)
    if kept and expires_at(kept) > time.time() + RENEW_BEFORE_SECONDS:
        return kept
    token = access_token(arguments, store)
    credentials = exchange(arguments, role, token)
    store.content.setdefault("credentials", {})[name] = credentials
    store.save()
    return credentials


def access_token(arguments, store):
    provider = discover(arguments.issuer)
    refresh_token = store.content.get("refresh_token")
    if refresh_token:
        try:
            tokens = ask_for_tokens(
                provider, arguments, {"grant_type": "refresh_token", "refresh_token": refresh_token}
            )
            return keep(tokens, store, refresh_token)
        except SignInEnded:
            store.content.pop("refresh_token")
            store.save()
    return keep(sign_in(provider, arguments), store, None)


def keep(tokens, store, former):
    # Store it at once, because the previous refresh token is no longer valid.
    store.content["refresh_token"] = tokens.get("refresh_token", former)
    store.save()
    return tokens["access_token"]


def discover(issuer):
    url = issuer.rstrip("/") + "/.well-known/openid-configuration"
    try:
        with web.open(secure(url), timeout=30) as answer:
            provider = json.load(answer)
    except (urllib.error.URLError, ValueError) as error:
        raise Failure(f"the issuer {issuer} does not answer; try again, or mend --issuer") from error
    if provider.get("issuer") != issuer:
        raise Failure(f"the issuer calls itself {provider.get('issuer')}; use that for --issuer")
    for endpoint in ("authorization_endpoint", "token_endpoint"):
        secure(provider[endpoint])
    return provider


def secure(url):
    parts = urllib.parse.urlsplit(url)
    if parts.scheme != "https" and parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Failure(f"{url} is not https: nothing secret is sent there")
    return url


def sign_in(provider, arguments):
    verifier, state, nonce = (secrets.token_urlsafe(32) for _ in range(3))
    with Listener() as listener:
        redirect_uri = f"http://localhost:{listener.port}/callback"
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        parameters = {
            "response_type": "code",
            "client_id": arguments.client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid",
            "state": state,
            "nonce": nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        url = provider["authorization_endpoint"] + "?" + urllib.parse.urlencode(parameters)
        print(f"Sign in to {arguments.data_url} in the browser. If none opens, go to\n{url}", file=sys.stderr)
        webbrowser.open(url)
        answer = listener.wait()
    if not secrets.compare_digest(answer.get("state", "").encode(), state.encode()):
        raise Failure("the answer was to another sign-in; try again")
    if answer.get("iss", arguments.issuer) != arguments.issuer:
        raise Failure("the answer came from another issuer; try again")
    if "code" not in answer:
        raise Failure("nobody signed in; try again")
    grant = {"grant_type": "authorization_code", "code": answer["code"], "redirect_uri": redirect_uri}
    tokens = ask_for_tokens(provider, arguments, {**grant, "code_verifier": verifier})
    claims = claims_of(tokens.get("id_token", ""))
    audiences = claims.get("aud") if isinstance(claims.get("aud"), list) else [claims.get("aud")]
    if claims.get("iss") != arguments.issuer or arguments.client_id not in audiences or claims.get("nonce") != nonce:
        raise Failure("the issuer's token is for another sign-in; try again")
    return tokens


def claims_of(token):
    """Returns the claims. The token came directly from the issuer over TLS, so its signature needs no check."""
    try:
        payload = token.split(".")[1]
        return json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, ValueError):
        return {}


class SignInEnded(Exception):
    pass


def ask_for_tokens(provider, arguments, grant):
    body = urllib.parse.urlencode({**grant, "client_id": arguments.client_id}).encode()
    try:
        with web.open(provider["token_endpoint"], body, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        reason = error_of(error.read())
        if reason == "invalid_grant":
            raise SignInEnded from None
        raise Failure(f"the issuer gives no token ({reason or error.code})") from None
    except (urllib.error.URLError, ValueError):
        raise Failure("the issuer does not answer; try again") from None


def error_of(body):
    try:
        return json.loads(body).get("error")
    except (ValueError, AttributeError):
        return None


def exchange(arguments, role, token):
    body = {
        "Action": "AssumeRoleWithWebIdentity",
        "Version": "2011-06-15",
        "RoleArn": f"arn:aws:iam::{arguments.account}:role/{role}",
        "RoleSessionName": "sluice-credentials",
        "WebIdentityToken": token,
    }
    url = secure(arguments.data_url.rstrip("/") + "/.sts")
    try:
        with web.open(url, urllib.parse.urlencode(body).encode(), timeout=30) as answer:
            found = texts_of(answer.read())
    except urllib.error.HTTPError as error:
        found = texts_of(error.read())
        raise Failure(f"{found.get('Code', error.code)}: {found.get('Message', 'no credentials')}") from None
    except urllib.error.URLError:
        raise Failure(f"{arguments.data_url} does not answer; try again") from None
    names = ("AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration")
    return {"Version": 1, **{name: found[name] for name in names}}


def texts_of(document):
    try:
        elements = xml.etree.ElementTree.fromstring(document).iter()
    except xml.etree.ElementTree.ParseError:
        return {}
    return {element.tag.split("}")[-1]: element.text for element in elements}


def expires_at(credentials):
    return datetime.datetime.fromisoformat(credentials["Expiration"].replace("Z", "+00:00")).timestamp()


def as_shell(credentials):
    names = {
        "AccessKeyId": "AWS_ACCESS_KEY_ID",
        "SecretAccessKey": "AWS_SECRET_ACCESS_KEY",
        "SessionToken": "AWS_SESSION_TOKEN",
    }
    return "".join(f"export {name}={shlex.quote(credentials[key])}\n" for key, name in names.items())


def sign_out(arguments, store):
    token = store.content.get("refresh_token")
    store.remove()
    endpoint = discover(arguments.issuer).get("revocation_endpoint") if token else None
    if endpoint:
        body = urllib.parse.urlencode({"token": token, "client_id": arguments.client_id}).encode()
        try:
            web.open(secure(endpoint), body, timeout=30).close()
        except urllib.error.URLError:
            raise Failure("forgotten here, but the issuer did not answer; its token ends by itself") from None


class Listener:
    """Listens on the loopback interface for one response of the browser, then closes."""

    def __enter__(self):
        for self.port in CALLBACK_PORTS:
            try:
                self.servers = self.bind()
                break
            except OSError:
                continue
        else:
            raise Failure(f"the ports {CALLBACK_PORTS} are all taken; free one of them")
        for server in self.servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        return self

    def bind(self):
        self.answers = queue.Queue()
        taken = threading.Lock()
        answers, port = self.answers, self.port

        class Answering(http.server.BaseHTTPRequestHandler):
            timeout = 30

            def do_GET(self):
                parts = urllib.parse.urlsplit(self.path)
                is_here = self.headers.get("Host") == f"localhost:{port}" and parts.path == "/callback"
                if not is_here or not taken.acquire(blocking=False):
                    self.send_error(404)
                    return
                text = b"<!doctype html><title>Signed in</title><p>Back to the command line: this page can be closed."
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(text)))
                self.send_header("Content-Security-Policy", "default-src 'none'")
                self.send_header("Referrer-Policy", "no-referrer")
                self.end_headers()
                self.wfile.write(text)
                answers.put(dict(urllib.parse.parse_qsl(parts.query)))

            def log_message(self, *_):
                """Writes no log line, because the URL contains the code."""

        class V6(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6

        servers = [http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Answering)]
        if has_ipv6_loopback():
            try:
                # Another user's server on that port would receive the browser's response.
                servers.append(V6(("::1", self.port), Answering))
            except OSError:
                servers[0].server_close()
                raise
        return servers

    def wait(self):
        try:
            return self.answers.get(timeout=SIGN_IN_SECONDS)
        except queue.Empty:
            raise Failure("nobody signed in within five minutes; try again") from None

    def __exit__(self, *_):
        for server in self.servers:
            server.shutdown()
            server.server_close()


def has_ipv6_loopback():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
            return True
    except OSError:
        return False


class Store:
    """The token file of one issuer and client, locked by one process at a time."""

    def __init__(self, arguments):
        folder = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
        self.folder = os.path.join(folder, "sluice")
        name = hashlib.sha256(f"{arguments.issuer} {arguments.client_id}".encode()).hexdigest()[:16]
        self.path = os.path.join(self.folder, f"{name}.json")

    def __enter__(self):
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        self.lock = os.open(self.path + ".lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.content = self.read()
        return self

    def read(self):
        try:
            file = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return {}
        with os.fdopen(file) as opened:
            status = os.fstat(opened.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise Failure(f"others can read {self.path}: delete it, and sign in again")
            try:
                return json.load(opened)
            except ValueError:
                return {}

    def save(self):
        new = f"{self.path}.new"
        if os.path.lexists(new):
            os.remove(new)
        # Replaces an existing file, because it may belong to another user or be readable by others.
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(self.content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def remove(self):
        self.content = {}
        if os.path.exists(self.path):
            os.remove(self.path)

    def __exit__(self, *_):
        os.close(self.lock)


if __name__ == "__main__":
    main()
