"""Symmetrisation, worked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.align.symmetrise import METHODS, grow_diag_final_and, intersection, union
from nmt.cli.align_symmetrise import parser
from nmt.cli.main import main

# They agree on 0-0 and 2-2.
# grow-diag: 0-1 touches 0-0, and target 1 is free; 1-0 touches 0-0, and source 1 is free. 3-3 touches 2-2, and both
#   are free. 1-1 touches 0-0 diagonally, but it comes after 0-1 and 1-0, so that both of its words are taken.
# final-and: 5-5 touches nothing, but both of its words are free; of 6-0, target 0 is taken.
FORWARD = {(0, 0), (0, 1), (2, 2), (3, 3), (5, 5)}
REVERSE = {(0, 0), (1, 0), (1, 1), (2, 2), (6, 0)}


def test_agreed_and_all() -> None:
    assert intersection(FORWARD, REVERSE) == {(0, 0), (2, 2)}
    assert union(FORWARD, REVERSE) == FORWARD | REVERSE


def test_grown_by_hand() -> None:
    assert grow_diag_final_and(FORWARD, REVERSE) == {(0, 0), (0, 1), (1, 0), (2, 2), (3, 3), (5, 5)}


def test_growing_goes_on_from_what_was_added() -> None:
    # 1-1 touches 0-0; only then does 2-2 touch anything, and then 3-2, whose target is taken but whose source is free.
    assert grow_diag_final_and({(0, 0), (1, 1), (3, 2)}, {(0, 0), (2, 2)}) == {(0, 0), (1, 1), (2, 2), (3, 2)}


def test_final_takes_the_forward_links_first() -> None:
    assert grow_diag_final_and({(4, 1)}, {(0, 1), (4, 5)}) == {(4, 1)}
    assert grow_diag_final_and({(0, 1)}, {(4, 1), (4, 5)}) == {(0, 1), (4, 5)}


@pytest.mark.parametrize("method", METHODS)
def test_nothing_and_the_same_twice(method: str) -> None:
    assert METHODS[method]([], []) == set()
    assert METHODS[method](FORWARD, FORWARD) == FORWARD


def test_the_reverse_file_is_turned_round(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    forward, reverse = tmp_path / "forward", tmp_path / "reverse"
    forward.write_text("0-1 1-0\n\n0-0\n")
    reverse.write_text("1-0 2-1\n\n\n")
    command = ["align", "symmetrise", "--forward", str(forward), "--reverse", str(reverse)]
    assert main([*command, "--method", "intersection"]) == 0
    assert capfd.readouterr().out == "0-1\n\n\n"
    assert main(command) == 0
    assert capfd.readouterr().out == "0-1 1-0 1-2\n\n0-0\n"


def test_what_is_wrong_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    forward, reverse, output = tmp_path / "forward", tmp_path / "reverse", tmp_path / "links"
    forward.write_text("0-0\n0-0\n")
    reverse.write_text("0-0\n")
    command = ["align", "symmetrise", "--forward", str(forward), "--reverse", str(reverse), "--output", str(output)]
    assert main(command) == 1
    assert capfd.readouterr().err == f"nmt align: {forward} has 2 lines, but {reverse} has 1\n"
    reverse.write_text("0-0\n0:0\n")
    assert main(command) == 1
    assert f"{reverse}:2: link 1 of the line is '0:0'" in capfd.readouterr().err
    assert not output.exists()


def test_the_flag_offers_every_method() -> None:
    (method,) = (action for action in parser()._actions if action.dest == "method")
    assert set(method.choices or ()) == set(METHODS)
