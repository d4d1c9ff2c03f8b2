# A followed run whose processes live on after its end says so, and how to end them; wrong names are told with their box.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch run b1 --no-outputs -f -- sh -c 'setsid sleep 60 >/dev/null 2>&1 & sleep 2' 2>err.txt >/dev/null
grep '^warning: run r1' err.txt | sed 's/pid [0-9]*/pid N/'
drawhitch -q stop-run b1 r1 --strays --grace 0s >/dev/null 2>&1
for verb in logs pull stop-run; do
    drawhitch "$verb" b1 nosuch 2>&1 >/dev/null | grep ^next || true
done
drawhitch --timeout 0s ps b1 2>&1 >/dev/null | grep ^error || true
printf '\n[env]\nsetup = "true"\n' >drawhitch.toml
drawhitch push b1 2>&1 >/dev/null | grep -c "'env.setup' is understood, but this version does not act on it"
