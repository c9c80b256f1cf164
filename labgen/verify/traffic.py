"""Report what users of a host notice and no single answer shows: requests sent again, slow answers."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median

from labgen.contract.http_contract import Level, Request
from labgen.fetch.ask import Traffic
from labgen.problems.text import plural, say
from labgen.verify.checks import Check, Fault
from labgen.verify.remedies import REMEDIES
from labgen.verify.subjects import subject_of


def traffic_checks(traffic: Traffic, slow: float) -> Iterator[Check]:
    """Yield a failed check for each request that was sent again, and for each slow answer."""
    whys = Counter(why for found in traffic.repeated.values() for why in found)
    counted = ", ".join(
        say("{why}: {count:,} times", why=why, count=count) for why, count in whys.most_common()
    )
    text = say(
        "{total:,} of {requests} had to be sent again ({counted})",
        total=whys.total(),
        requests=plural(traffic.sent, "request"),
        counted=counted,
    )
    for request, found in traffic.repeated.items():
        yield _check("retries", request, Fault("sent-again", text, REMEDIES["sent-again"]), ", ".join(found))
    longest = max(traffic.slow.values(), default=0)
    text = say(
        "{answers} took {slow:g} s or longer, up to {longest:.1f} s",
        answers=plural(len(traffic.slow), "answer"),
        slow=slow,
        longest=longest,
    )
    for request, seconds in traffic.slow.items():
        yield _check("slow", request, Fault("slow-answer", text, REMEDIES["slow-answer"]), f"{seconds:.1f} s")


def latency_check(traffic: Traffic, slow: float, target: str) -> Check:
    """Return the check of a watch that half of the answers took less than `slow` seconds."""
    half = median(traffic.seconds or [0.0])
    text = say("half of the answers took {half:.1f} s or longer", half=half)
    faults = (Fault("slow-answer", text, REMEDIES["slow-answer"]),) if half >= slow else ()
    return Check("latency", Level.MUST, target, faults)


def certificate_check(days: float, least: int, level: Level, target: str) -> Check:
    """Return the check that the certificate of a host is valid for `least` more days."""
    text = say("the certificate ends in {days}", days=plural(int(days), "day"))
    faults = (Fault("ending-certificate", text, REMEDIES["ending-certificate"]),) if days < least else ()
    return Check("certificate", level, target, faults)


def _check(name: str, request: Request, fault: Fault, sent: str) -> Check:
    return Check(name, Level.SHOULD, subject_of(request), (fault,), sent)


def counts_of(traffic: Traffic, days: float) -> Mapping[str, float]:
    """Return the numbers of requests, for programs, and the days of the certificate, if there is one."""
    return {
        "requests": traffic.sent,
        "sent_again": sum(map(len, traffic.repeated.values())),
        "slow": len(traffic.slow),
        "slowest": round(max(traffic.seconds, default=0), 3),
        "median": round(median(traffic.seconds or [0.0]), 3),
    } | ({} if math.isinf(days) else {"certificate_days": int(days)})


def remarks_on(unread: Mapping[str, int]) -> Iterator[str]:
    """Yield what could not be verified because no decoder is installed, by content coding."""
    for coding, count in sorted(unread.items()):
        answers = plural(count, "answer")
        yield say(
            "the bodies of {answers} in {coding} were not read: `pip install 'labgen[{extras}]'`",
            answers=answers,
            coding=coding,
            extras=EXTRAS[coding],
        )


EXTRAS = {"br": "brotli", "zstd": "zstandard"}
"""The extras of labgen with the decoders of content codings."""
