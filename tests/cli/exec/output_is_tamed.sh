# On a terminal nothing of the box can move the cursor.
drawhitch adopt me local > /dev/null 2>&1
"$CLI_TESTS/with_terminal.py" drawhitch exec me -- printf "plain\033[2J\033]0;title\007red\n" | cat -v
