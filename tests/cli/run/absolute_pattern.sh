# A pattern that looks like a path of the box is told before any work; one that is anchored at the work tree is fine.
. "$CLI_TESTS/road.sh.inc"
adopt_here
drawhitch -n run b1 --out '/workspace/ckpt/*.bin' --nice '~/logs/*' --out '/*.pt' --out './x/*.pt' -- true >/dev/null
