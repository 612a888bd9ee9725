"""The model card: a README.md that travels with the weights (Mitchell et al. 2019, arxiv.org/abs/1810.03993)."""

from __future__ import annotations

from typing import Any

LANGUAGE_NAMES = {"en": "English", "zh": "Chinese"}


def render(card: dict[str, Any]) -> str:
    """The card as Markdown."""
    source, target = (LANGUAGE_NAMES[code] for code in card["direction"].split("-"))
    lines = [
        f"# {card['name']}: {source} to {target}",
        "",
        f"A translation model trained with `nmt` {card['nmt_version']}. This folder is complete: copy it anywhere.",
        "",
        "```",
        f"nmt translate --model THIS_FOLDER {'你好吗？' if card['direction'] == 'zh-en' else 'How are you?'!r}",
        "```",
        "",
        "## Model",
        "",
        f"- encoder: {card['encoder']}",
        f"- decoder: {card['decoder']}",
        f"- attention between target and source: {card['attention']}",
        f"- attention inside: {card['self_attention']}",
        f"- parameters: {card['parameters']:,}",
        "",
        "## Training",
        "",
        f"- text: {card['data']}, {card['train_pairs']:,} pairs, sha256 {', '.join(card['data_sha256'])}",
        f"- licence of the text: {card['licence'] or 'not stated'}",
        f"- attribution: {card['attribution'] or 'not stated'}",
        f"- {card['train_steps']:,} updates, {card['train_minutes']:.1f} minutes, "
        f"{card['tokens_per_second']:,.0f} source and target tokens a second on {card['hardware']}",
        f"- seed {card['seed']}, precision {card['precision']}",
        "",
        "## Scores",
        "",
        *_scores(card),
        "",
        "A small model for short everyday sentences makes mistakes in meaning, names and numbers: have a person check "
        "what matters.",
    ]
    return "\n".join(lines) + "\n"


def overlap_line(entry: dict[str, Any] | None) -> str:
    """How much of a test set is in the training text, as `nmt prepare` found it."""
    if entry is None:
        return "not checked"
    found, sentences = entry["overlapping"], entry["sentences"]
    if entry["removed"]:
        return f"none of {sentences:,} sentences; what overlapped with {found:,} of them was left out of training"
    return f"{found:,} of {sentences:,} sentences are in the training text"


def _scores(card: dict[str, Any]) -> list[str]:
    rows = ["| set | BLEU | chrF | signature |", "|---|---|---|---|"]
    for score in card.get("scores", []):
        chrf = f"{score['chrf']:.2f}" if score.get("chrf") is not None else "-"
        rows.append(f"| {score['set']} | {score['bleu']:.2f} | {chrf} | `{score['signature']}` |")
    return rows
