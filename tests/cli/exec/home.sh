# A command begins in the home on every box, this machine among them; --dir is seen from there.
. "$CLI_TESTS/road.sh.inc"
adopt_here
mkdir -p "$HOME/data" elsewhere && cd elsewhere
drawhitch exec b1 -- pwd
drawhitch exec b1 --dir data -- pwd
drawhitch exec b1 --dir / -- pwd
drawhitch ssh b1 -- pwd
