# Where no box is leased, every verb that needs one says so; lists are empty, in a pipe and as JSON, and end well.
told() { sed 's/^/  /'; }
for verb in ls ps 'lease ls'; do
    echo "== $verb"
    # shellcheck disable=SC2086
    drawhitch $verb 2>err.txt | told
    told <err.txt
    # shellcheck disable=SC2086
    drawhitch $verb --json 2>/dev/null
done
for verb in watch push 'run -- true' down; do
    echo "== $verb"
    # shellcheck disable=SC2086
    drawhitch $verb 2>&1 | told || true
done
for box in b1 b2; do drawhitch adopt $box local --data-dir "$HOME/$box" >/dev/null 2>&1; done
sed -i '/^box = /d' drawhitch.toml
echo '== ps, two boxes'
drawhitch ps 2>&1 | told || true
