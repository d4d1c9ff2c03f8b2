# On a terminal the rows keep to its width: what is at risk is counted there, and named below.
. "$CLI_TESTS/rented.sh.inc"
rent_here --price-hour 2
run_job r1 model.bin sh -c 'echo weights > model.bin'
run_job a-second-run-with-a-longer-name model.bin sh -c 'echo weights > model.bin'
for columns in 80 120; do
    "$CLI_TESTS/with_terminal.py" --columns $columns drawhitch ls | tr -d '\r' >shown
    sed -n 1p shown
    grep 'at risk' shown
    grep -v 'at risk' shown | awk -v most=$columns 'length($0) > most { print "too wide: " $0 }'
done
drawhitch ls | grep -c "r1: what it left behind was never listed; a-second-run"
