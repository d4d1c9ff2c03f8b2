# A command without the "--" before it: the line with it, ready to type; what may be a secret is not repeated.
. "$CLI_TESTS/road.sh.inc"
adopt_here
told() { grep -E '^(error|why|next)' || true; }
drawhitch run b1 --no-outputs python3 -c 'print("hello, $USER")' 2>&1 | told || true
drawhitch run python train.py --lr 3 2>&1 | told || true
drawhitch -q run b1 --name r1 torchrun --nproc-per-node 2 train.py 2>&1 | told || true
drawhitch exec b1 ls -l /tmp 2>&1 | told || true
drawhitch run b1 2>&1 | told || true
drawhitch run b1 --lr 3 2>&1 | told || true
drawhitch run b1 sh -c 'HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567 python train.py' 2>&1 | told || true
next=$(drawhitch run b1 --name r2 --no-outputs sh -c 'echo "it'\''s $0" >said' 2>&1 | sed -n 's/^next: //p') || true
bash -c "$next" >/dev/null 2>&1 && drawhitch -q watch b1 r2 --every 1s >/dev/null && cat "$HOME"/drawhitch/*/runs/r2/work/said
