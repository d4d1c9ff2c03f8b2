# This machine as the box: what is shown, the project file, and a second time.
mkdir project && cd project
drawhitch adopt me local | sed -E "s,$SCRATCH,SCRATCH,; s,^(machine\t).*,\1…,"
grep "^box" drawhitch.toml
drawhitch ls | cut -f1-3
drawhitch adopt me local --json | grep -o "\"updated\":[a-z]*"
