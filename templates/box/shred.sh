# Deletes files of ours that hold secrets, and tells which are gone. Framed by the nonce N, which comes before it. Calls
# come after it: for each file
#   shred PATH; then once: finish
# Only plain files of our own user are touched, by their full path.
LC_ALL=C
export LC_ALL
printf '\n=%s=B shred\n' "$N"
number=0
shred() {
    if [ -f "$1" ] && [ ! -L "$1" ] && [ -O "$1" ]; then
        # Overwritten first: the memory file system may hand the page on as it is.
        size=$(wc -c <"$1" 2>/dev/null)
        dd if=/dev/zero of="$1" bs=4096 count=$(((${size:-0} + 4095) / 4096)) conv=notrunc 2>/dev/null
        # The folder stays: another launch of this user may be about to write into it.
        rm -f "$1"
    fi
    if [ -e "$1" ] || [ -L "$1" ]; then echo "kept=$number"; else echo "gone=$number"; fi
    number=$((number + 1))
}
finish() {
    printf '\n=%s=E shred rc=0\n' "$N"
    printf '\n=%s=Z\n' "$N"
}
