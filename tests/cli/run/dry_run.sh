# The wrapper is shown, and nothing is sent. No value of a variable is in it.
. "$CLI_TESTS/road.sh.inc"
adopt_here
HF_TOKEN=hf_verysecret drawhitch -n run b1 --env HF_TOKEN --activate '. venv/bin/activate' -- python3 train.py 'two words' |
    grep -e '^ACTIVATE' -e 'launch .python3' -e verysecret
ls "$HOME"/drawhitch 2>/dev/null || echo nothing was made
