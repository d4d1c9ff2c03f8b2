# The user's load test runs once the project is trusted, on each unit, and keeps what fails it from the receipt.
mkdir proj && cd proj
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null
drawhitch -q run b1 --name r1 --out 'out/**' -- sh -c 'mkdir out; echo 1 > "out/good one.bin"; echo 2 > out/bad.bin' > /dev/null || true
for _ in $(seq 200); do drawhitch -q ps b1 r1 | grep -q DONE && break; done
cat > check.sh <<'EOF'
echo "ran $#" >> ran
case $1 in *bad*) echo "cannot load it" >&2; exit 4 ;; esac
EOF
printf '[pull]\nverify_cmd = ["sh", "check.sh"]\n' > drawhitch.toml
drawhitch pull b1 r1 --to untrusted > /dev/null 2>&1; echo "untrusted: exit $?"
ls ran 2> /dev/null || echo "it did not run"
drawhitch -q trust -y > /dev/null
drawhitch -q pull b1 r1 > rows 2> problem || echo "trusted: exit $?"
grep '^out' rows | sort | cut -f1,3,5,6
grep -m1 '^error' problem
sort ran
cut -c67- pulls/b1/r1/SHA256SUMS | grep out
drawhitch -q verify b1 r1 > /dev/null 2>&1 || echo "what failed is still bad: exit $?"
drawhitch -q verify untrusted/ > rows 2> problem || echo "verify: exit $?"
grep '^out' rows | sort | cut -f1,3,5
head -1 problem
