# -n is a number of lines behind logs, as everywhere in the field, and the dry run in front of it.
. "$CLI_TESTS/road.sh.inc"
adopt_here
run_job r1 '*.bin' sh -c 'echo one; echo two; echo three; echo x >a.bin'
for words in "logs b1 -n 2" "logs b1 r1 -n 1" "logs -n1 b1" "logs b1 -l 1" "logs b1 --lines=1" "-qn logs b1 -n 1" "-n logs b1 -qn2"; do
    echo "$words:"
    # shellcheck disable=SC2086
    drawhitch $words
done
if drawhitch logs b1 -n many; then exit 99; else echo "exit code $?"; fi
