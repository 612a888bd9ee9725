"""Files to pairs, pairs to a prepared folder, a prepared folder to batches.

Importing this package is instant: `datasets`, SentencePiece and OpenCC are imported by the functions that use them.
"""
