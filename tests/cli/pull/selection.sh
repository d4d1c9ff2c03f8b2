# What patterns and --newest choose, what a plan tells, and which directories come first; the gate stays closed for the rest.
. "$CLI_TESTS/rented.sh.inc"
mkdir proj && cd proj
printf 'print()\n' > train.py
rent_here --price-hour 36
drawhitch -q push b1 > /dev/null 2>&1
job='mkdir -p best ckpt; echo a > best/alpha.pt; touch -d 2021-01-01 best/alpha.pt; echo b > best/beta.pt; echo 1 > best/scores.csv; echo c > ckpt/c.pt'
drawhitch -q run b1 --name r1 --out 'best/**' --out 'ckpt/**' -- sh -c "$job" > /dev/null 2>&1
drawhitch watch b1 > /dev/null 2>&1
echo "-- one model, and a plan of it"
drawhitch pull b1 r1 'best/**' --newest 1 -n --json | field '[[f["path"] for f in j["data"]["files"]], j["data"]["plan"]]'
drawhitch -q pull b1 r1 'best/**' --newest 1 | grep '^best' | cut -f1,3
(drawhitch down b1 --json -n 2> /dev/null || true) | field '[j["exit"], sorted((r["id"], r["subject"].split("/work/")[-1]) for r in j["data"]["gate"]["reasons"])]'
echo "-- what comes first"
drawhitch -q pull b1 r1 --first ckpt/ --json | field '[(d["path"], d["units"], d["proven"]) for d in j["data"]["directories"]]'
(drawhitch down b1 --json -n 2> /dev/null || true) | field '[j["exit"], j["data"]["gate"]["open"]]'
drawhitch -q pull b1 r1 --first ../up || echo "exit $?"
