# ssh has no --json; the line that has it is made of what was typed.
drawhitch adopt me local > /dev/null 2>&1
{ drawhitch ssh me --json -- ls "/my data" 2>/dev/null || true; } | grep -o '"next":[^]]*]'
drawhitch ssh me --json
