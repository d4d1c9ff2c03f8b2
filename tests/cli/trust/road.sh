# Ignored with a warning until trusted; asked again after any change; the same words elsewhere are another file's.
printf 'project = "nano"\n[pull]\nverify_cmd = ["python", "check.py"]\n' > drawhitch.toml
drawhitch ls
drawhitch trust --show
drawhitch trust --no-input || echo "exit $?"
drawhitch trust -y
drawhitch ls
drawhitch trust
mkdir copy
cp drawhitch.toml copy
(cd copy && drawhitch ls)
printf '[run]\non_settled = "rm -rf ~"\n' >> drawhitch.toml
drawhitch ls
drawhitch trust --json --dry-run
drawhitch trust -y -q >/dev/null
drawhitch trust --revoke
drawhitch trust --show
