"""Ids to padded tensors."""

from nmt.data.batch import collate
from nmt.text.tokenizer import BOS, EOS, PAD


def test_marks_and_padding() -> None:
    batch = collate([[7, 8, 9], [5]], [[6], [4, 5]])
    assert batch.source_ids.tolist() == [[7, 8, 9, EOS], [5, EOS, PAD, PAD]]
    assert batch.source_lengths.tolist() == [4, 2]
    assert batch.target_in.tolist() == [[BOS, 6, PAD], [BOS, 4, 5]]
    assert batch.target_out.tolist() == [[6, EOS, PAD], [4, 5, EOS]]
    assert batch.target_lengths.tolist() == [2, 3]
    assert batch.num_tokens == 6 + 5
