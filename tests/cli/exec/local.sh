drawhitch adopt me local > /dev/null 2>&1
drawhitch exec me -- printf "%s\n" "it's \$HOME" "a  b"
drawhitch exec me -- "echo one; echo two >&2" 2>/dev/null
drawhitch exec me --dir /usr -- pwd
printf "in\nput" | drawhitch exec me --stdin -- cat; echo
drawhitch exec me -- sh -c "exit 7" || echo "exit $?"
drawhitch exec me -- sh -c "kill -TERM \$\$" || echo "exit $?"
drawhitch exec me --json -- printf "a\377" 
