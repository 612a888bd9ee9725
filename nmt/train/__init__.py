"""The training engine: `loop.train` is what `nmt train` calls, and `loop.Trainer` is the loop to read."""
