# What is wrong is found before anything is sent.
. "$CLI_TESTS/road.sh.inc"
adopt_here
for words in "--gpus 0-" "--name a/b" "--env 1A=x" "--env NOT_SET_HERE" "--out a{b,c}"; do
    # shellcheck disable=SC2086
    if drawhitch run b1 $words -- true; then exit 99; else echo "$words: $?"; fi
done
if drawhitch run b1 --; then exit 99; else echo "no command: $?"; fi
