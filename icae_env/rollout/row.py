"""Make the row of an episode: what came of it, and how it used the user and the model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from icae_env.evaluation.report import SuiteScore, SuiteScores
from icae_env.llm.limits import ModelUse
from icae_env.rollout.episode import EpisodeResult
from icae_env.rollout.gaps import episode_gaps
from icae_env.rollout.store import EpisodeKey, EpisodeRow
from icae_env.tasks import find_task, records_file
from icae_env.user_agent import Interaction, load_records
from icae_env.user_agent.session import interaction

_NOTHING_HIDDEN = ("ground", "recovered")


def make_row(
    key: EpisodeKey,
    result: EpisodeResult,
    *,
    started: datetime,
    attempts: int,
    use: ModelUse,
    questions: int | None,
    place: Mapping[str, str],
) -> EpisodeRow:
    """Return the row of an episode that is over.

    Args:
        key: The episode.
        result: How it came out.
        started: When it began, in UTC.
        attempts: How often it was played, this time among them.
        use: What it used of its model.
        questions: The budget of questions; None when the episode did not begin.
        place: ``sandbox``, ``image`` and ``image_digest``, where known.
    """
    report = result.report
    suites = report.suites if report is not None else SuiteScores()
    asked = _interaction(key, result, questions)
    spec = find_task(key.task).spec
    image = report.image if report is not None else None
    return EpisodeRow(
        key=key, status=result.status, reward=result.reward, end=result.end, steps=result.steps,
        questions=result.questions, seconds=result.seconds, started=started, error=result.error, attempts=attempts,
        language=result.language or key.language or spec.language, domain=spec.domain,
        sandbox=report.sandbox if report is not None else place.get("sandbox"),
        image=image.name if image else place.get("image"), image_digest=image.digest if image else place.get("image_digest"),
        native=_rate(suites.native), enhanced=_rate(suites.enhanced),
        public=_rate(suites.public), resolved=report.resolved if report is not None else None,
        model_use=use, coverage=asked and asked.coverage, fallback_rate=asked and asked.fallback_rate,
        budget_used=asked and asked.budget_use,
        gaps=episode_gaps(key.task, key.level, report, result.diagnoses) if report is not None else None,
    )  # fmt: skip


def _interaction(key: EpisodeKey, result: EpisodeResult, questions: int | None) -> Interaction | None:
    """Return how the user was asked; without a question the coverage is 0, for nothing was asked that could have been."""
    if questions is None:
        return None
    file = records_file(key.task, key.level)
    hidden = file is not None and key.level not in _NOTHING_HIDDEN
    return interaction(
        result.diagnoses, load_records(file).ids if file is not None and hidden else (), questions
    )


def _rate(score: SuiteScore | None) -> float | None:
    return score.rate if score is not None else None
