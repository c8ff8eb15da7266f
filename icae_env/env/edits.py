"""Carry out an edit action on the files of a sandbox."""

from __future__ import annotations

from icae_env.env.actions import Edit
from icae_env.sandbox.base import Files
from icae_env.sandbox.editor import Editor, EditResult


def carry_out(action: Edit, files: Files) -> EditResult:
    """Carry out an edit action and return what it came to."""
    editor = Editor(files)
    match action.op:
        case "view":
            return editor.view(action.path, action.view_range)
        case "create":
            return editor.create(action.path, action.text or "")
        case "replace":
            return editor.replace(action.path, action.old or "", action.new or "")
        case "insert":
            return editor.insert(action.path, action.line or 0, action.text or "")
