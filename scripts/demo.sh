#!/usr/bin/env bash
# The whole main job on real text; `make demo` calls it. Every command is shown before it runs, so that you can repeat
# and vary it. A step that is done already, with the same settings, is not done again.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH"

step() {
    printf '\n$ %s\n' "$1"
    eval "$1"
}

echo 'To repeat a command that stands after a "$", activate the environment first: . .venv/bin/activate'

step 'nmt prepare data=tatoeba'
step 'nmt train experiment=demo'
step 'nmt evaluate --model runs/demo/best --data prepared/tatoeba --split test --output runs/demo/test'
step "printf '%s\\n' 'Where can I buy a ticket for the night train?' 'My sister teaches music at a small school.' \\
    'It was raining, so we stayed at home and drank tea.' | nmt translate --model runs/demo/best"
step 'nmt align --model runs/demo/best --data prepared/tatoeba --split test --limit 5 --line 4 --heatmap runs/demo/attention.png'

cat <<'END'

Where everything lies:
  prepared/tatoeba           the text, cleaned, split and encoded, with its manifest
  runs/demo/best             the model, one folder that works wherever you copy it
  runs/demo/test             translations of the test split, and result.json
  runs/demo/attention.png    which word comes from where

The other direction, and other models:
  nmt train experiment=demo direction=zh-en                      -> runs/demo-zh-en
  nmt train experiment=demo model=rnn_self_attention_small       -> runs/demo-rnn_self_attention_small
  nmt train experiment=demo attention=mlp                        -> runs/demo-mlp
  nmt train experiment=tatoeba                                   -> runs/tatoeba (20 minutes)
  nmt compare runs/*                                             one table of those you have

END
python - <<'END'
import json
bleu = json.load(open("runs/demo/test/result.json", encoding="utf-8"))["bleu"]
print(f"test BLEU = {bleu['score']:.2f}  {bleu['signature']}")
END
