# What is kept of a run is kept as typed: a credential in it is refused before anything has it, and never shown.
. "$CLI_TESTS/road.sh.inc"
mkdir proj && cd proj
adopt_here --data-dir "$SCRATCH/data"
token=hf_aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD
code=0
refused() {
    code=0
    drawhitch "$@" >"$SCRATCH/tmp/said" 2>&1 || code=$?
    echo "exit $code"
    grep -oE 'stands in [^;]*' "$SCRATCH/tmp/said" || true
    ! grep -q "$token" "$SCRATCH/tmp/said" || echo "SHOWN: $*"
    rm "$SCRATCH/tmp/said"
}
drawhitch run b1 --no-outputs -- env "HF_TOKEN=$token" sh -c true 2>&1 | cat || true
refused run b1 --no-outputs -- env "HF_TOKEN=$token" sh -c true
refused run b1 --no-outputs -- "OTHER_TOKEN=$token python3 train.py"
refused run b1 --no-outputs -- python3 train.py --hub-token "$token"
refused run b1 --no-outputs -n -- python3 train.py "--hub-token=$token"
refused run b1 --no-outputs --json -- python3 train.py "$token"
refused run b1 --no-outputs --activate "export HF_TOKEN=$token" -- true
refused run b1 --out "out/$token/**" -- true
refused run b1 --no-outputs --env "NCCL_DEBUG=$token" -- true
refused run b1 --no-outputs --name "$token" -- true
refused run b1 --no-outputs python3 train.py "$token"
grep -rlF "$token" "$HOME" "$XDG_STATE_HOME" "$SCRATCH/data" . || echo "nobody has it"
drawhitch -q ps b1 | cut -f2
HF_TOKEN=$token drawhitch run b1 --no-outputs --env HF_TOKEN -- sh -c 'echo ${#HF_TOKEN}' >/dev/null 2>&1 || true
drawhitch -q watch b1 >/dev/null 2>&1 || true
drawhitch logs b1
