"""An environment's User Agent routes by what the user chose."""

from __future__ import annotations

import pytest

from icae_env import registry
from icae_env.errors import UnknownNameError
from icae_env.factory import make_env
from icae_env.sandbox.fake import FakeBackend
from icae_env.tasks import find_task, load_hidden, records_file
from icae_env.user_agent import KeywordRouter, Match, RecordSet, Routing, load_records, with_inputs

ASK = {"type": "ask_user", "question": "Whatever you like."}


class FirstRouter:
    """Choose the first record, whatever is asked."""

    def __init__(self, records: RecordSet) -> None:
        self.name = records.ids[0]

    def route(self, question: str) -> Routing:
        return Routing(kind="records", matches=(Match(id=self.name, score=1.0),))


@pytest.mark.parametrize("router", [FirstRouter, f"{__name__}:FirstRouter"])
def test_an_environment_takes_a_router_or_its_name(router: object) -> None:
    file = records_file("bracex", "L1")
    assert file is not None
    said = load_records(file).records[0].oracle_response
    for chosen, found in ((router, True), ("keyword", False)):
        env = make_env(sandbox=FakeBackend(), image="host", router=chosen)  # type: ignore[arg-type]
        env.reset(seed=0)
        assert (said in env.step(ASK)[0]["text"]) is found
        env.close()


def test_an_unknown_router_is_named_with_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="keyword"):
        make_env(sandbox=FakeBackend(), router="oracle")
    assert "keyword" in registry.names("router")
    assert registry.resolve("router", "keyword") is KeywordRouter


def test_the_inputs_of_witnesses_help_to_route_and_are_never_said() -> None:
    name = "stockholm"
    file = records_file(name, "L1")
    assert file is not None
    plain, hidden = load_records(file), load_hidden(find_task(name))
    full = with_inputs(plain, hidden.cases)
    assert plain.inputs == {} and set(full.inputs) == set(plain.ids)
    cases = {case.id: case for case in hidden.cases}
    for record in full.records:
        assert len(full.inputs[record.constraint_id]) == len(record.witnesses)
        for witness, text in zip(record.witnesses, full.inputs[record.constraint_id], strict=True):
            op = cases[witness.case].input["op"]  # type: ignore[index,call-overload]
            assert str(op) in text and len(text) <= 500
    question = 'what do i get for "12 JPY"?'
    before, after = KeywordRouter(plain).route(question), KeywordRouter(full).route(question)
    assert after.matches[0].score > before.matches[0].score if before.matches else after.matches
