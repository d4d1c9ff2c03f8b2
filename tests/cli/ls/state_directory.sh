# Whatever is wrong with the place of the ledger: the error says what, how to mend it, and nothing is written elsewhere.
. "$CLI_TESTS/privileges.sh.inc"
state=$XDG_STATE_HOME/drawhitch
try() {
    echo "# $1"
    shift
    local code=0
    "$@" 2>&1 || code=$?
    echo "exit $code"
}
chmod 500 "$XDG_STATE_HOME"
try "nothing can be created" as_user drawhitch ls
chmod 700 "$XDG_STATE_HOME"
mkdir -m 500 "$state"
try "it is read-only" as_user drawhitch ls
chmod 777 "$state"
try "everybody may write" drawhitch ls
chmod 700 "$state" && rmdir "$state"
touch "$state"
try "a file lies in its place" drawhitch ls
rm "$state"
ln -s nowhere "$state"
try "a link that leads nowhere" drawhitch ls
rm "$state"
touch "$SCRATCH/file"
try "a part of the path is a file" env XDG_STATE_HOME="$SCRATCH/file" drawhitch ls
try "no home" env -u HOME -u XDG_STATE_HOME -u XDG_CONFIG_HOME drawhitch ls
try "a home that is no absolute path" env -u XDG_STATE_HOME -u XDG_CONFIG_HOME HOME=here drawhitch ls
try "a home that does not exist" env -u XDG_STATE_HOME -u XDG_CONFIG_HOME HOME=/proc/nowhere drawhitch ls
try "XDG_STATE_HOME is relative, HOME is good" env XDG_STATE_HOME=here drawhitch config path ledger
odd=$(printf '%s/st\377ate\033[31m' "$SCRATCH")
try "a path that is not UTF-8 works" env XDG_STATE_HOME="$odd" drawhitch ls
[ -f "$odd/drawhitch/ledger.db" ] && echo "the ledger lies there"
try "and is shown harmless" env XDG_STATE_HOME="$odd" drawhitch config path ledger
chmod 777 "$odd/drawhitch"
try "also in an error" env XDG_STATE_HOME="$odd" drawhitch ls
mkdir -m 700 "$state"
mkdir "$state/ledger.db"
try "the ledger is a directory" drawhitch ls
rmdir "$state/ledger.db"
ln -s "$SCRATCH/file" "$state/ledger.db"
try "the ledger is a link" drawhitch ls
rm "$state/ledger.db"
drawhitch -q ls
chmod 400 "$state/ledger.db"
try "the ledger is read-only" as_user drawhitch ls
chmod 644 "$state/ledger.db"
try "the ledger may be read by others" drawhitch ls
chmod 000 "$state/ledger.db"
try "the ledger may not be read" as_user drawhitch ls
[ ! -e here ] && echo "nothing was written here"
