import pytest

from icae_env.env.actions import AskUser, Bash, Edit, InvalidAction, Submit
from icae_env.env.blocks import parse_text


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("I look around.\n\n```bash\nls -la\ncat a\n```\n", Bash(command="ls -la\ncat a")),
        ("```sh\nls\n```", Bash(command="ls")),
        ("~~~bash\necho '```'\n~~~", Bash(command="echo '```'")),
        ("````bash\ncat <<'E'\n```\nE\n````", Bash(command="cat <<'E'\n```\nE")),
        (
            '```json\n{"type": "edit", "op": "view", "path": "a"}\n```',
            Edit(op="view", path="a"),
        ),
        ("```ask_user\nWhat is printed?\n```", AskUser(question="What is printed?")),
        ("Done.\n```submit\n```", Submit()),
        ("An example:\n```python\nprint(1)\n```\nand now\n```bash\ntrue\n```", Bash(command="true")),
        ("```bash\r\ntrue\n```\r\n", Bash(command="true")),
    ],
)
def test_the_one_block_of_a_message_is_the_action(text, action):
    assert parse_text(text) == action


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "no action blocks"),
        ("just words", "no action blocks"),
        ("```python\nprint(1)\n```", "no action blocks"),
        ("```bash\na\n```\n```bash\nb\n```", "2 action blocks"),
        ("```bash\nrm -rf build", "no closing fence"),
        ("```json\n{\n```", "not JSON"),
        ("```json\n{}\n```", "'type' is missing"),
    ],
)
def test_anything_else_is_explained(text, named):
    result = parse_text(text)
    assert isinstance(result, InvalidAction)
    assert named in result.message
