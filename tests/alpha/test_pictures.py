"""Pictures of results, on good days and bad ones, and where none are fetched from."""

import pytest

from paddock import ImageContent
from paddock.toolkits.alpha.client import ServiceUrls, create_service_urls, fetch_images
from paddock.toolkits.alpha.fetch import (
    ByteBudget,
    FetchFailure,
    FetchRequest,
    FetchResponse,
    fetch_all,
)
from paddock.toolkits.alpha.results import RemoteImage
from tests.alpha.stand_in import PNG, StandIn, running

LIMITS = {"MaxImageCount": 10, "MaxImageBytes": 100_000, "ImageTimeConstraint": 0.5}


def never() -> bool:
    return False


def fetched(service: StandIn, *names: str, **limits: object) -> list[str]:
    """The names of those pictures that could be had."""
    pieces = [RemoteImage(f"{service.url}/files/{name}", "") for name in names]
    found = fetch_images(pieces, create_service_urls(service.url), {**LIMITS, **limits}, never)
    assert all(picture == ImageContent(PNG, "image/png") for picture in found.values())
    return [url.rpartition("/")[2] for url in found]


@pytest.mark.parametrize("name", ["missing.png", "cut-off.png", "page.png"])
def test_an_invalid_picture_does_not_affect_the_others(service: StandIn, name: str) -> None:
    assert fetched(service, name, "history.png") == ["history.png"]


def test_a_picture_that_is_too_large_is_left_out(service: StandIn) -> None:
    assert fetched(service, "large.png") == []


def test_a_slow_picture_is_left_out_when_the_time_is_over(service: StandIn) -> None:
    assert fetched(service, "slow.png", "history.png", "other.png") == ["history.png", "other.png"]


def test_all_pictures_share_the_bytes(service: StandIn) -> None:
    assert len(fetched(service, "history.png", "other.png", MaxImageBytes=len(PNG))) == 1


def test_no_more_pictures_are_fetched_than_are_allowed_and_each_once(service: StandIn) -> None:
    assert fetched(service, "history.png", "history.png", "other.png", MaxImageCount=1) == [
        "history.png"
    ]
    assert service.paths == ["/files/history.png"]


def test_a_redirection_is_followed_within_the_place_and_not_out_of_it(service: StandIn) -> None:
    with running() as other:
        service.elsewhere = f"{other.url}/files/history.png"
        assert fetched(service, "near.png", "away.png") == ["near.png"]
    assert other.requests == []


def test_pictures_elsewhere_are_not_fetched(service: StandIn) -> None:
    pieces = [RemoteImage(f"{service.url}/files/history.png", "")]
    assert fetch_images(pieces, create_service_urls("https://example.org"), LIMITS, never) == {}
    assert fetch_images(pieces, ServiceUrls(), LIMITS, never) == {}
    assert service.requests == []


@pytest.mark.parametrize(
    "url",
    [
        "https://public6.wolframalpha.com/files/PNG_abc.png",
        "https://www6b3.wolframalpha.com/Calculate/MSP/MSP1?MSPStoreType=image/gif&s=18",
        "http://www.wolframalpha.com/a.gif",
        "https://files.wolframcdn.com/a.png",
    ],
)
def test_pictures_of_wolfram_are_fetched(url: str) -> None:
    assert ServiceUrls().allows_image(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://wolframalpha.com.evil.example/a.png",
        "https://evilwolframalpha.com/a.png",
        "https://www.wolframalpha.com@evil.example/a.png",
        "https://user:secret@www.wolframalpha.com/a.png",
        "https://www.wolframalpha.com:8443/a.png",
        "https://evil.example/https://www.wolframalpha.com/a.png",
        "https://evil.example\\.wolframalpha.com/a.png",
        "ftp://www.wolframalpha.com/a.png",
        "file:///etc/passwd",
        "data:image/png;base64,AA==",
        "http://127.0.0.1/a.png",
        "http://169.254.169.254/latest/meta-data",
        "https://[::1",
        "",
    ],
)
def test_other_addresses_are_not(url: str) -> None:
    assert not ServiceUrls().allows_image(url)
    assert not create_service_urls("https://alpha.example").allows_image(url)


def one(service: StandIn, path: str, place: str = "") -> FetchResponse | FetchFailure:
    """The result of fetching one item."""
    wanted = FetchRequest(
        f"{service.url}{path}",
        ByteBudget(100_000),
        is_configured_url=create_service_urls(place).is_configured_url,
    )
    return fetch_all([wanted], 5, never)[0]


def test_a_private_address_is_refused_before_anything_is_sent(service: StandIn) -> None:
    found = one(service, "/files/history.png")
    assert found == FetchFailure("address", "its address is not public")
    assert service.requests == []


def test_the_place_that_the_user_has_configured_may_be_private(service: StandIn) -> None:
    found = one(service, "/files/history.png", service.url)
    assert found == FetchResponse(200, "image/png", PNG)


def test_the_proxy_of_the_user_may_be_on_this_machine(
    service: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", service.url)
    monkeypatch.delenv("no_proxy", raising=False)
    url = "http://public6.wolframalpha.com/files/history.png"
    found = fetch_images(
        [RemoteImage(url, "")], ServiceUrls(), {**LIMITS, "ImageTimeConstraint": 30}, never
    )
    assert found == {url: ImageContent(PNG, "image/png")}
    assert service.paths == ["/files/history.png"]


def test_a_name_that_does_not_exist_is_reported() -> None:
    wanted = FetchRequest("https://nowhere.invalid/x", ByteBudget(1))
    found = fetch_all([wanted], 20, never)[0]
    assert isinstance(found, FetchFailure)
    assert found.reason in ("unreachable", "timeout")


def test_nothing_is_waited_for_when_the_call_is_cancelled(service: StandIn) -> None:
    wanted = FetchRequest(
        f"{service.url}/files/slow.png",
        ByteBudget(100_000),
        is_configured_url=create_service_urls(service.url).is_configured_url,
    )
    found = fetch_all([wanted], 300, service.is_asked.is_set)[0]
    assert isinstance(found, FetchFailure)
    assert found.reason == "timeout"
