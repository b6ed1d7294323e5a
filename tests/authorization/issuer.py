"""The real authorization server as a process, and programs that get tokens from it."""

import base64
import hashlib
import html
import os
import re
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import urllib3
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from external.authorization_servers import DJANGO_OAUTH_TOOLKIT
from external.environments import ROOT
from tests.authorization.provider.accounts import BROWSER, MACHINE, REDIRECT, USER, Account
from tests.ports import free_port

SECONDS = 60


class Issuer:
    """An authorization server that can be started, stopped, and given another key."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/o"
        self._process: subprocess.Popen[str] | None = None
        self._http = urllib3.PoolManager(retries=False, timeout=SECONDS)
        self.new_key()

    @property
    def key(self) -> bytes:
        """The private key that it signs with."""
        return (self.directory / "key.pem").read_bytes()

    def new_key(self, *, keep_old: bool = True) -> None:
        """Sign with another key from the next start on; tokens of the old one may still count."""
        current = self.directory / "key.pem"
        if current.exists() and keep_old:
            shutil.copy(current, self.directory / f"old-{secrets.token_hex(4)}.pem")
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        current.write_bytes(
            key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
        )

    def start(self) -> None:
        """Start, and wait until it answers."""
        environment = {
            **os.environ,
            "PROVIDER_DIRECTORY": str(self.directory),
            "PROVIDER_PORT": str(self.port),
        }
        with (self.directory / "log.txt").open("a") as log:
            self._process = subprocess.Popen(
                [str(DJANGO_OAUTH_TOOLKIT.prepare()), "-m", "tests.authorization.provider.run"],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        assert said == "ready\n", (self.directory / "log.txt").read_text()

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def metadata(self) -> dict[str, Any]:
        """Its RFC 8414 document."""
        url = f"http://127.0.0.1:{self.port}/.well-known/oauth-authorization-server/o"
        document: dict[str, Any] = self._http.request("GET", url).json()
        return document

    def client_credentials(
        self, resource: str | None, scope: str = "notes:read", client: Account = MACHINE
    ) -> str:
        """A token that a program gets for itself."""
        form = {"grant_type": "client_credentials", "scope": scope}
        if resource is not None:
            form["resource"] = resource
        headers = urllib3.make_headers(basic_auth=f"{client.name}:{client.secret}")
        return self._token(form, headers)

    def authorization_code(self, resource: str, scope: str = "notes:read") -> str:
        """A token that a user gives to a program: log in, agree, and exchange the code."""
        verifier = secrets.token_urlsafe(48)
        hashed = hashlib.sha256(verifier.encode()).digest()
        question = {
            "response_type": "code",
            "client_id": BROWSER.name,
            "redirect_uri": REDIRECT,
            "scope": scope,
            "state": secrets.token_hex(8),
            "resource": resource,
            "code_challenge": base64.urlsafe_b64encode(hashed).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        endpoint = self.metadata()["authorization_endpoint"]
        back = self.agree(f"{endpoint}?{urlencode(question)}")
        answer = parse_qs(urlsplit(back).query)
        assert answer["state"] == [question["state"]]
        return self._token(
            {
                "grant_type": "authorization_code",
                "code": answer["code"][0],
                "redirect_uri": REDIRECT,
                "client_id": BROWSER.name,
                "code_verifier": verifier,
                "resource": resource,
            },
            {},
        )

    def agree(self, url: str) -> str:
        """What the user does with the page that a program sends them to; where they end up."""
        browser = Browser(self._http)
        consent = browser.submit(browser.get(url), username=USER.name, password=USER.secret)
        return browser.submit(consent, allow="Authorize").url

    def revoke(self, token: str, client: Account = MACHINE) -> None:
        """Take a token back."""
        headers = urllib3.make_headers(basic_auth=f"{client.name}:{client.secret}")
        url = self.metadata()["revocation_endpoint"]
        done = self._http.request_encode_body(
            "POST", url, fields={"token": token}, headers=headers, encode_multipart=False
        )
        assert done.status == 200

    def _token(self, form: dict[str, str], headers: dict[str, str]) -> str:
        answer = self._http.request_encode_body(
            "POST",
            self.metadata()["token_endpoint"],
            fields=form,
            headers=headers,
            encode_multipart=False,
        )
        assert answer.status == 200, answer.data
        token: str = answer.json()["access_token"]
        return token


class Page:
    """A page with one form, or the address of another server that a browser was sent to."""

    def __init__(self, url: str, text: str = "") -> None:
        self.url = url
        hidden = re.findall(r'<input type="hidden" name="(\w+)"[^>]*? value="([^"]*)"', text)
        self.fields = {name: html.unescape(value) for name, value in hidden}


class Browser:
    """Just enough of one to log in: cookies, redirects and forms."""

    def __init__(self, http: urllib3.PoolManager) -> None:
        self._http = http
        self._cookies: dict[str, str] = {}

    def get(self, url: str) -> Page:
        return self._follow("GET", url, None)

    def submit(self, page: Page, **answers: str) -> Page:
        return self._follow("POST", page.url, {**page.fields, **answers})

    def _follow(self, method: str, url: str, form: dict[str, str] | None) -> Page:
        while not url.startswith(REDIRECT):
            cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
            headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
            body = None if form is None else urlencode(form)
            answer = self._http.request(method, url, headers=headers, body=body, redirect=False)
            for cookie in answer.headers.getlist("Set-Cookie"):
                name, _, value = cookie.partition(";")[0].partition("=")
                self._cookies[name] = value
            if answer.status != 302:
                assert answer.status == 200, answer.data
                return Page(url, answer.data.decode())
            method, form = "GET", None
            url = urljoin(url, answer.headers["Location"])
        return Page(url)
