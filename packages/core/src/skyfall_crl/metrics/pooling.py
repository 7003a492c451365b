"""From segments to the scores of every segment and every identity."""

from collections.abc import Sequence

from skyfall_crl.metrics.bounds import Bounds
from skyfall_crl.metrics.companion import Companions
from skyfall_crl.metrics.identity import IdentityScores, Past, SegmentScores, score_identity, score_segment
from skyfall_crl.metrics.levels import Levels
from skyfall_crl.metrics.parameters import Parameters
from skyfall_crl.metrics.segments import Segment


def score_segments(
    segments: Sequence[Segment],
    upper: Bounds,
    lower: Bounds,
    parameters: Parameters,
    companions: Companions,
) -> list[SegmentScores]:
    """Score segments, which come world by world and in order."""
    visits: dict[tuple[str, str], Segment] = {}
    latest: dict[str, Segment] = {}
    scored = []
    for segment in segments:
        key = segment.world, segment.identity
        before = latest.get(segment.world)
        levels_before = Levels(None, None) if before is None else levels_of(before.identity, upper, lower)
        past = Past(visits.get(key), before, levels_before)
        levels = levels_of(segment.identity, upper, lower)
        scored.append(score_segment(segment, past, levels, parameters, companions))
        visits[key] = latest[segment.world] = segment
    return scored


def score_identities(
    segments: Sequence[SegmentScores], upper: Bounds, lower: Bounds, companions: Companions
) -> dict[str, IdentityScores]:
    """Score identities in the order in which they are first met."""
    visits: dict[str, list[SegmentScores]] = {}
    for found in segments:
        visits.setdefault(found.segment.identity, []).append(found)
    return {
        identity: score_identity(found, levels_of(identity, upper, lower), companions)
        for identity, found in visits.items()
    }


def levels_of(identity: str, upper: Bounds, lower: Bounds) -> Levels:
    """Return an identity's reference rewards."""
    return Levels(upper.values.get(identity), lower.values.get(identity))
