# A project's file that is wrong stops what would act on it; what only looks goes on and says that it counts for nothing.
. "$CLI_TESTS/road.sh.inc"
adopt_here
printf 'box = [\n' >drawhitch.toml
for verb in ls 'lease ls' 'lease show b1' 'show b1' 'doctor b1' 'ps b1'; do
    drawhitch $verb >/dev/null 2>err.txt || echo "$verb: exit $?"
    grep -c '^warning: the project.*drawhitch.toml:.*help project-file' err.txt
done
drawhitch push b1 2>&1 >/dev/null | tail -n 1
