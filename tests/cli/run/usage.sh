# What is wrong is found before anything is sent: not even the push was begun.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'print()\n' >train.py
for words in "--gpus 0-" "--name a/b" "--env 1A=x" "--env NOT_SET_HERE" "--out a{b,c}" "--out ../ckpt/*.bin" \
    "--no-outputs --out x" "--ranks many" "--ranks 0" "--ranks 99999999999" "--name=" "--name $(printf 'n%.0s' $(seq 101))"; do
    # shellcheck disable=SC2086
    if drawhitch run b1 $words -- true; then exit 99; else echo "$words: $?"; fi
    if drawhitch -n run b1 $words -- true; then exit 99; else echo "dry, $words: $?"; fi
done
if drawhitch run b1 --; then exit 99; else echo "no command: $?"; fi
ls "$HOME"/drawhitch 2>/dev/null || echo nothing was made
drawhitch -q ps b1
