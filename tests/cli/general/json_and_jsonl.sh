drawhitch version --json --jsonl
