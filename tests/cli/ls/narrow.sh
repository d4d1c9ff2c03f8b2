# On a terminal tables fit its width: the least important columns give way. A pipe always has every column.
box=training-box-of-the-team
mkdir first-project && cd first-project
drawhitch adopt --price-hour 12.75 --currency USD $box local > /dev/null 2>&1
mkdir -p "$XDG_CONFIG_HOME/drawhitch/profiles"
drawhitch profile show local --toml |
    sed -e '0,/^id *=/s/^id *=.*/id = "the-profile-with-a-long-name"/' \
        -e '0,/^name *=/s/^name *=.*/name = "A platform with a name of many words"/' \
        > "$XDG_CONFIG_HOME/drawhitch/profiles/the-profile-with-a-long-name.toml"
on() { python3 "$CLI_TESTS/with_terminal.py" --columns "$@"; }
check() {
    # shellcheck disable=SC2086
    on $1 drawhitch $2 > shown
    python3 -c '
import sys
for line in sys.stdin.read().splitlines():
    if len(line) > int(sys.argv[1]) and not line.startswith(("warning: ", "file ")):
        print(f"{sys.argv[2]} at {sys.argv[1]}: {len(line)} columns: {line}")' "$@" < shown
}
for table in ls "ls --all" "lease ls" "profile ls" "profile show local"; do check 80 "$table"; done
for table in ls "ls --all" "lease ls" "profile ls" "profile show local" "profile show generic-ssh"; do check 60 "$table"; done
echo "== 80"
on 80 drawhitch ls | head -1
on 80 drawhitch profile ls | head -1
echo "== 60"
on 60 drawhitch ls | tr -d '\r' | sed 's|[0-9.]* USD$|N USD|'
on 60 drawhitch profile show generic-ssh | sed -n '/^VERB/,/^$/p'
echo "== 120"
on 120 drawhitch ls | head -1
echo "== a pipe"
drawhitch ls | awk -F '\t' '{print NF, $1}'
drawhitch profile ls 2> /dev/null | awk -F '\t' '/the-profile/ {print NF, $2}'
