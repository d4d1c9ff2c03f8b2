# Standard input that stays silent holds nobody: Ctrl-C and --timeout end the wait.
. "$CLI_TESTS/road.sh.inc"
adopt_here
"$CLI_TESTS/with_terminal.py" --type '\x03' --after 'command: exec' drawhitch -v exec b1 --stdin -- cat | tail -n 1 || echo "exit ${PIPESTATUS[0]}"
mkfifo pipe
exec 3<>pipe
drawhitch --timeout 0.2s exec b1 --stdin -- cat <&3 || echo "exit $?"
drawhitch --timeout 0.2s adopt b2 ssh nobody@127.0.0.1 --password-stdin <&3 || echo "exit $?"
printf 'two\nlines' | drawhitch exec b1 --stdin -- cat
