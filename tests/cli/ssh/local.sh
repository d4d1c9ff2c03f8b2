drawhitch adopt me local > /dev/null 2>&1
drawhitch ssh me -- sh -c "echo here; exit 4" || echo "exit $?"
