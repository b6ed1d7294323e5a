"""Servers over https whose certificates come from an authority of the user."""

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from paddock import ConnectError, connect
from tests.unit.client.http.web import Asked, Web

PATIENCE = 10.0


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a certificate that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return file


@pytest.fixture
def web(certificate: Path) -> Iterator[Web]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def call(asked: Asked) -> None:
        if asked.message["params"]["name"] == "slow":
            made.begun.set()
            asked.wait_for_end()
        else:
            asked.say("done")

    with Web({"tools/call": call}, context) as made:
        yield made


def test_a_certificate_that_no_one_vouches_for_is_refused(web: Web) -> None:
    with pytest.raises(ConnectError, match="self-signed certificate"):
        connect(web.url)
    assert web.asked == []


def test_a_certificate_can_be_vouched_for(web: Web, certificate: Path) -> None:
    with connect(web.url, verify=str(certificate)) as peer:
        assert peer.call("count").text == "done"


def test_certificates_can_be_left_unchecked(web: Web) -> None:
    with pytest.warns(match="Unverified HTTPS request"), connect(web.url, verify=False) as peer:
        assert peer.call("count").text == "done"


def test_cancelling_closes_a_secure_stream_too(web: Web, certificate: Path) -> None:
    with connect(web.url, verify=str(certificate)) as peer:
        slow = peer.start("tools/call", {"name": "slow"})
        assert web.begun.wait(PATIENCE)
        slow.cancel()
        assert peer.call("count").text == "done"
