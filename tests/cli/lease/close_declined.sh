# Who declines to close a lease is told the same command again, with all that was said, and not one that ends the box.
. "$CLI_TESTS/rented.sh.inc"
rent_here
"$CLI_TESTS/with_terminal.py" --type 'n\n' --after '[y/N] ' drawhitch lease close b1 --reason 'seen it go' >shown || echo "exit $?"
tr -d '\r' <shown | grep -E '^(error|next)'
