# After a push, doctor tells what the file system below the project's directory can do.
mkdir proj && cd proj
printf 'print(1)\n' > train.py
drawhitch -q adopt b1 local --data-dir "$SCRATCH/data" > /dev/null 2>&1
told() {
    drawhitch -q doctor b1 2> /dev/null | cut -f2 | grep -q '^root\.' && echo told || echo "not known yet"
}
told
drawhitch -q push > /dev/null 2>&1
told
