"""Observations of asynchronous vector environments are as those of the others, whatever carries them."""

from __future__ import annotations

import copy
import gc
import os

import gymnasium
import numpy as np
import pytest
from fake_env import TASK
from real_sandboxes import works_or_skip

import icae_env
from icae_env.env.shared_texts import SharedTexts

TEXTS = ("", "a" * 3_000_000, "é\U0001f600\u202e\0\x1b[31m", "short")


def test_the_last_text_of_each_is_read_whatever_the_one_before_was():
    texts = SharedTexts(2)
    for first in TEXTS:
        for second in TEXTS:
            texts.write(0, first)
            texts.write(1, second)
            assert list(texts) == [first, second]
            assert texts[-1] == second
            assert texts[0:2] == (first, second)
    kept = copy.deepcopy(texts)
    texts.write(0, "later")
    assert kept == ("short", "short")
    with pytest.raises(IndexError):
        texts[2]


def test_descriptors_are_given_back():
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    texts = SharedTexts(20)
    assert len(os.listdir("/proc/self/fd")) == before + 20
    del texts
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.bubblewrap
@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("shared", [True, False])
def test_processes_forked_or_spawned_send_whole_texts(context, shared):
    works_or_skip("bubblewrap")
    envs = gymnasium.make_vec(
        icae_env.ENV_ID, num_envs=2, vectorization_mode="async", task=TASK, sandbox="bubblewrap", image="host",
        vector_kwargs={"context": context, "shared_memory": shared},
    )  # fmt: skip
    try:
        obs, _ = envs.reset(seed=0)
        assert all("# Product requirements" in text for text in obs["text"])
        bash = "printf 'é%.0s' {1..5000}"
        actions = [{"type": "bash", "command": command} for command in (bash, "echo b")]
        later, *_ = envs.step(actions)
        assert later["text"] == ("é" * 5000, "b\n")
        assert all("# Product requirements" in text for text in obs["text"])
        masked, _ = envs.reset(options={"reset_mask": np.array([False, True])})
        assert masked["text"][0] == "é" * 5000
        assert "# Product requirements" in masked["text"][1]
    finally:
        envs.close()
