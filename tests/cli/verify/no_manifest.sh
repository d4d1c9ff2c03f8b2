mkdir empty
drawhitch -q verify ./empty || echo "exit $?"
