# A secret reaches the job and lies nowhere but in its private environment file.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'import os\nprint(len(os.environ["HF_TOKEN"]))\n' >train.py
HF_TOKEN=hf_verysecret drawhitch -vvv --log-file log.txt run b1 --env HF_TOKEN --no-outputs --json -- python3 train.py >out.json 2>err.txt
drawhitch -q watch b1 --every 1s >/dev/null
drawhitch logs b1
grep -rl hf_verysecret "$HOME" . || echo nowhere
