# A word that is neither a box nor a run is told as both.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job exp1 '*.bin' sh -c 'echo x >a.bin'
for words in "ps nobox" "ps epx1" "watch b2" "logs ex1" "stop-run exp2" "ps b1 exp2"; do
    # shellcheck disable=SC2086
    if drawhitch $words; then exit 99; else echo "$words: $?"; fi
done
