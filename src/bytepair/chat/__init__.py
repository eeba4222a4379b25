"""Conversations as the text a model was trained on, by its chat template.

Every character of the result tells whether the template wrote it or somebody's message did, so that
control tokens can be looked for in the template's own text alone.
"""

from bytepair.chat._template import ChatTemplate, Message, Tool, template
from bytepair.chat._tools import tool_schema
from bytepair.chat._traced import Traced

__all__ = ["ChatTemplate", "Message", "Tool", "Traced", "template", "tool_schema"]
