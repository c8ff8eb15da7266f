"""Episodes as coroutines: at once, in order, and whole whatever is cancelled."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import pytest
from fake_env import TASK, script
from real_sandboxes import place_or_skip

import icae_env
from icae_env.env.async_env import THREADS
from icae_env.errors import EpisodeStateError, SandboxStartError
from icae_env.tasks import load_hidden

SUBMIT = {"type": "submit"}


def echo(text):
    return {"type": "bash", "command": f"echo {text}"}


class Gate(gymnasium.Wrapper):
    """A step with the action ``hold`` waits until it is let go; what happened is noted."""

    def __init__(self, env):
        super().__init__(env)
        self.entered, self.go = threading.Event(), threading.Event()
        self.log = []
        self.inside = 0

    def step(self, action):
        assert self.inside == 0, "two calls at once"
        self.inside += 1
        self.log.append(action)
        if action == "hold":
            self.entered.set()
            assert self.go.wait(60)
        self.inside -= 1
        return self.env.step(echo(action))

    def close(self):
        assert self.inside == 0, "closed during a step"
        self.log.append("close")
        self.env.close()


@pytest.fixture
def gate(make):
    return Gate(make())


async def held(env):
    """Begin an episode and return a task whose step has begun and waits."""
    await env.reset(seed=0)
    task = asyncio.create_task(env.step("hold"))
    await asyncio.to_thread(env.env.entered.wait, 60)
    return task


async def cancelled(task):
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_an_episode_is_the_same_as_without_coroutines(make):
    async def play():
        async with icae_env.AsyncICAEEnv(make()) as env:
            shown = [await env.reset(seed=3, options={"level": "L2"})]
            return shown + [await env.step(action) for action in (echo("a"), script(2), SUBMIT)]

    plain = make()
    expected = [plain.reset(seed=3, options={"level": "L2"})]
    expected += [plain.step(action) for action in (echo("a"), script(2), SUBMIT)]
    assert asyncio.run(play()) == expected


def test_64_episodes_on_one_loop_are_kept_apart(make, backend):
    total = len(load_hidden(TASK).cases)

    async def play(number):
        async with icae_env.AsyncICAEEnv(make()) as env:
            await env.reset(seed=number)
            texts = [(await env.step(echo(f"{number}.{step}")))[0]["text"] for step in range(3)]
            assert texts == [f"{number}.{step}\n" for step in range(3)]
            await env.step(script(number % 8))
            _, reward, terminated, _, _ = await env.step(SUBMIT)
            assert terminated
            return reward

    async def play_all():
        return await asyncio.gather(*(play(number) for number in range(64)))

    assert asyncio.run(play_all()) == [2 * (number % 8) / total for number in range(64)]
    assert not backend.live
    assert sum(thread.name.startswith("icae-async") for thread in threading.enumerate()) <= THREADS


def test_the_loop_is_free_while_a_step_runs(gate):
    async def play():
        async with icae_env.AsyncICAEEnv(gate) as env:
            task = await held(env)
            assert not task.done()
            gate.go.set()  # the loop runs this line although the step has not ended
            return await task

    assert asyncio.run(play())[0]["text"] == "hold\n"


def test_a_step_cancelled_before_its_turn_is_not_carried_out(gate):
    async def play():
        async with icae_env.AsyncICAEEnv(gate) as env:
            first = await held(env)
            second, third = (asyncio.create_task(env.step(text)) for text in ("second", "third"))
            await asyncio.sleep(0)  # both are in line
            await cancelled(second)
            gate.go.set()
            return await first, await third

    first, third = asyncio.run(play())
    assert (first[0]["text"], third[0]["text"]) == ("hold\n", "third\n")
    assert gate.log == ["hold", "third", "close"]
    assert int(third[0]["steps_left"]) == 198


def test_a_step_cancelled_while_it_runs_counts_and_the_next_waits_for_it(gate):
    async def play():
        async with icae_env.AsyncICAEEnv(gate) as env:
            await cancelled(await held(env))
            after = asyncio.create_task(env.step("after"))
            await asyncio.sleep(0)
            assert gate.log == ["hold"]
            gate.go.set()
            return await after

    obs, *_ = asyncio.run(play())
    assert obs["text"] == "after\n"
    assert int(obs["steps_left"]) == 198


def test_closing_drops_what_waits_and_lets_the_running_step_end(gate, backend):
    async def play():
        env = icae_env.AsyncICAEEnv(gate)
        first = await held(env)
        second = asyncio.create_task(env.step("second"))
        await asyncio.sleep(0)
        closing = asyncio.create_task(env.close())
        await asyncio.sleep(0)
        gate.go.set()
        await closing
        assert (await first)[0]["text"] == "hold\n"
        with pytest.raises(asyncio.CancelledError):
            await second
        await env.close()
        with pytest.raises(EpisodeStateError, match="closed"):
            await env.reset()

    asyncio.run(play())
    assert gate.log == ["hold", "close", "close"]
    assert not backend.live


def test_a_cancelled_close_is_carried_out_all_the_same(gate, backend):
    pool = ThreadPoolExecutor(1)

    async def play():
        env = icae_env.AsyncICAEEnv(gate, pool)
        await cancelled(await held(env))
        closing = asyncio.create_task(env.close())
        await asyncio.sleep(0)
        await cancelled(closing)
        assert gate.log == ["hold"]

    asyncio.run(play())  # the loop is gone before the sandbox is
    gate.go.set()
    pool.shutdown()
    assert gate.log == ["hold", "close"]
    assert not backend.live


def test_a_cancelled_rollout_leaves_no_sandbox(make, backend):
    async def play(number, begun):
        async with icae_env.AsyncICAEEnv(make()) as env:
            await env.reset(seed=number)
            begun.release()
            while True:
                await env.step(echo(number))

    async def play_all():
        begun = asyncio.Semaphore(0)
        tasks = [asyncio.create_task(play(number, begun)) for number in range(16)]
        for _ in tasks:
            await begun.acquire()
        for task in tasks:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert {type(end) for end in asyncio.run(play_all())} == {asyncio.CancelledError}
    assert not backend.live


def test_errors_reach_their_caller_and_the_object_goes_on(make, backend):
    async def play():
        async with icae_env.AsyncICAEEnv(make()) as env:
            with pytest.raises(EpisodeStateError, match="reset"):
                await env.step(SUBMIT)
            backend.start_error = "no memory"
            with pytest.raises(SandboxStartError):
                await env.reset()
            backend.start_error = None
            await env.reset()
            return await env.step(echo("on"))

    assert asyncio.run(play())[0]["text"] == "on\n"


def test_one_object_serves_one_loop_after_another(make):
    env = icae_env.AsyncICAEEnv(make())
    asyncio.run(env.reset(seed=0))
    assert asyncio.run(env.step(echo("later")))[0]["text"] == "later\n"
    asyncio.run(env.close())


def test_a_pool_of_ones_own_bounds_what_runs_at_once(make):
    with ThreadPoolExecutor(2, thread_name_prefix="mine") as pool:

        async def play(number):
            async with icae_env.AsyncICAEEnv(make(), pool) as env:
                await env.reset(seed=number)
                return (await env.step(echo(number)))[0]["text"]

        async def play_all():
            return await asyncio.gather(*map(play, range(12)))

        assert asyncio.run(play_all()) == [f"{number}\n" for number in range(12)]
        assert sum(thread.name.startswith("mine") for thread in threading.enumerate()) <= 2


@pytest.mark.bubblewrap
def test_real_sandboxes_at_once():
    where = place_or_skip("bubblewrap", "host")

    async def play(number):
        async with icae_env.AsyncICAEEnv(icae_env.make_env(TASK, **where)) as env:
            await env.reset(seed=number)
            await env.step({"type": "bash", "command": f"n={number}; mkdir d; cd d"})
            return (await env.step({"type": "bash", "command": "echo $n; pwd"}))[0]["text"]

    async def play_all():
        return await asyncio.gather(*map(play, range(12)))

    assert asyncio.run(play_all()) == [f"{number}\n/workspace/d\n" for number in range(12)]
