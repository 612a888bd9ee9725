"""XML as a stream of elements, safe against what XML can do to its reader.

No entity is ever expanded, no DTD or other file is loaded, nothing is fetched, and libxml2's own limits on depth and
size stay on. A file that declares entities of its own ("billion laughs", or one that names a local file) is refused
before its first element is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nmt.data.streams import missing_extra, open_content
from nmt.errors import DataError


def elements(path: Any, name: str, *tags: str) -> Iterator[Any]:
    """The elements with some local names, each whole; it is forgotten when the next is asked for.

    Args:
        path: The file, possibly compressed.
        name: What an error calls it.
        tags: Local names, without a namespace. The root's start is also given, before all others.

    Raises:
        DataError: The file is not well-formed, or declares entities.
    """
    try:
        from lxml import etree
    except ImportError:
        raise missing_extra(f"Reading {name}, which is XML,") from None
    with open_content(path) as stream:
        events = etree.iterparse(
            stream, events=("start", "end"), resolve_entities=False, no_network=True, load_dtd=False,
            huge_tree=False, remove_comments=True, remove_pis=True,
        )  # fmt: skip
        try:
            begun = False
            for event, element in events:
                if not begun:
                    begun = True
                    _refuse_entities(element, name)
                    yield element
                elif event == "end" and local(element) in tags:
                    yield element
                    _forget(element)
        except etree.XMLSyntaxError as error:
            raise DataError(f"{name}:{error.lineno}: this is not well-formed XML: {error.msg}") from None


def _refuse_entities(root: Any, name: str) -> None:
    dtd = root.getroottree().docinfo.internalDTD
    if dtd is not None and next(dtd.iterentities(), None) is not None:
        raise DataError(
            f"{name} declares entities of its own (<!ENTITY ...>), which are never expanded here: remove them"
        )


def _forget(element: Any) -> None:
    element.clear(keep_tail=False)
    while element.getprevious() is not None:
        del element.getparent()[0]


def local(element: Any) -> str:
    """The name of an element without its namespace; empty for a comment or an entity."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def text_of(element: Any, codes: tuple[str, ...]) -> str:
    """The text inside an element, but not inside elements that hold codes of a document's format.

    Args:
        element: A segment.
        codes: Local names of elements whose content is markup, not text.
    """
    parts = [element.text or ""]
    for child in element:
        if not local(child):  # comments were left out, so this is an entity that no DTD declared
            raise DataError(f"Line {element.sourceline}: the entity {child.text} is not one of XML's own five")
        if local(child) not in codes:
            parts.append(text_of(child, codes))
        parts.append(child.tail or "")
    return "".join(parts)


def child(element: Any, tag: str) -> Any:
    """The first child with a local name, or `None`."""
    return next((inner for inner in element if local(inner) == tag), None)


def language(element: Any) -> str | None:
    """The language that an element says it is in."""
    found = element.get("{http://www.w3.org/XML/1998/namespace}lang") or element.get("lang")
    return None if found is None else str(found)
