"""Clients' chat templates: rendered in a process of their own, with little time and memory.

A template is a program. The sandbox keeps it from Python and from files, but not from going on for
hours, or from making a text that fills the memory; only another process can be stopped at that.
"""

import json
import subprocess
import sys
from typing import Any

from bytepair.chat import ChatTemplate
from bytepair.errors import ChatTemplateError
from bytepair.server._errors import invalid

_SECONDS = 2
_MEMORY_BYTES = 1 << 30
_MOST_TEXT = 8 << 20  # characters of the text that a template may make
_MOST_SOURCE = 64 << 10


def render_apart(task: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """(messages, arguments) with which the library gets the text that a client's template made.

    What the template wrote comes as a template again, that has nothing to decide; what it showed
    of the conversation comes as messages. So the library still knows whose each character is.

    Args:
        task: "source", "messages", "named" tokens, and "options" of `apply_chat_template`.

    Raises:
        ApiError, ChatTemplateError: it fails, or takes too much time or memory.
    """
    if len(task["source"]) > _MOST_SOURCE:
        raise invalid(f"longer than {_MOST_SOURCE} characters.", "chat_template")
    try:
        # This very program, with nothing of the request among its arguments.
        done = subprocess.run(
            [sys.executable, "-m", "bytepair.server._apart"],
            input=json.dumps(task).encode(),
            capture_output=True,
            timeout=4 * _SECONDS,
            check=False,
        )
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise invalid(
            "the template takes too much time or memory.", "chat_template", "chat_template"
        ) from error
    if "error" in answer:
        raise ChatTemplateError(answer["error"])
    source: list[str] = []
    messages: list[dict[str, Any]] = []
    for text, is_own in answer["runs"]:
        if is_own:
            source.append(f"{{{{ {json.dumps(text, ensure_ascii=False)} }}}}")
        else:
            source.append(f"{{{{ messages[{len(messages)}].content }}}}")
            messages.append({"role": "part", "content": text})
    messages = messages or [{"role": "part", "content": ""}]
    return messages, {"chat_template": "".join(source) or "{{ '' }}"}


def _limit() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))


def _render(task: dict[str, Any]) -> dict[str, Any]:
    options = dict(task["options"])
    known = ("tools", "documents", "add_generation_prompt", "continue_final_message")
    arguments = {name: options.pop(name) for name in known}
    try:
        text = ChatTemplate(task["source"]).render(
            task["messages"], named_tokens=task["named"], variables=options, **arguments
        )
    except (ValueError, TypeError, MemoryError) as error:
        return {"error": str(error) or type(error).__name__}
    if len(text) > _MOST_TEXT:
        return {"error": f"chat template: its text is longer than {_MOST_TEXT} characters."}
    return {"runs": text.runs()}


def main() -> None:
    """What the process does: read a task, say what became of it."""
    task = json.load(sys.stdin)
    ChatTemplate("")  # Jinja is there before memory is short
    _limit()
    json.dump(_render(task), sys.stdout)


if __name__ == "__main__":
    main()
