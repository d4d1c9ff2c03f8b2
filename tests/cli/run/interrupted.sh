# A launch that ended before its run began keeps the name: it says so, and every verb names the command that ends it.
. "$CLI_TESTS/road.sh.inc"
adopt_here
echo 'a file' >taken
sed -i 's|^\[links\]|&\n"taken/data" = "/etc"|' drawhitch.toml
steps() { sed -e 's/pid [0-9]*/pid N/' | grep -E '^(error|why: the name|warning|next)' || true; }
drawhitch -q run b1 --out '*.bin' -- true 2>&1 >/dev/null | steps || true
touch -d '1 hour ago' "$HOME"/drawhitch/*/runs/r1/claim
for verb in 'ps b1' 'watch b1' 'logs b1' 'pull b1' 'down b1'; do
    echo "== $verb"
    # shellcheck disable=SC2086
    drawhitch --no-input $verb 2>&1 >out.txt | steps || true
    grep -E "run-|never began|^      drawhitch" out.txt || true
done
echo "== stop-run"
drawhitch stop-run b1 r1 2>&1 >/dev/null | steps || true
drawhitch watch b1 --json 2>/dev/null | field 'j["exit"], [[r["run"], r["verdict"], r["cause"]] for r in j["data"]["runs"]]' || true
drawhitch down b1 -n 2>/dev/null | grep -c "run-" || true
