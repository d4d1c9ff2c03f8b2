# Every page fits: 80 columns where there is no terminal, and the terminal's own where there is one. No word is lost.
list() { drawhitch help | sed -n "$1" | sed -n 's/^  \([a-z][a-z-]*\( [a-z][a-z-]*\)\{0,1\}\)  .*/\1/p'; }
list '1,/^Topics/p' > commands
list '/^Topics/,/^Global/p' > topics
[ "$(wc -l < commands)" -gt 25 ] && [ "$(wc -l < topics)" -gt 5 ]
check() {
    python3 -c '
import sys
width, page = int(sys.argv[1]), sys.argv[2]
for line in sys.stdin.read().splitlines():
    # The values of a file are not broken.
    if len(line) > width and not line.startswith("#setup = "):
        print(f"{page}: {len(line)} columns of {width}: {line}")' "$@"
}
words() { tr -s ' \n\\#' '\n' < "$1"; }
{ cat commands topics && printf '%s\n' config lease profile ''; } | while read -r page; do
    # shellcheck disable=SC2086
    drawhitch help $page > text
    check 80 "help $page" < text
    # shellcheck disable=SC2086
    python3 "$CLI_TESTS/with_terminal.py" --columns 60 drawhitch help $page > narrow
    check 60 "help $page" < narrow
    [ "$(words text)" = "$(words narrow)" ] || echo "help $page: not the same words at 60 columns as at 80"
    # What --json holds is not wrapped.
    # shellcheck disable=SC2086
    drawhitch help $page --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["data"]["text"])' > json
    [ "$(words text)" = "$(words json)" ] || echo "help $page: not the same words as in --json"
done
while read -r command; do
    # shellcheck disable=SC2086
    drawhitch $command --help | check 80 "$command --help"
done < commands
{ drawhitch 2>&1 || true; } | check 80 "no command"
