# The name of a run that has ended stays taken: the line to type is the same command under a free name, and it works. The
# release of the changed project is not even pushed before that is told.
. "$CLI_TESTS/road.sh.inc"
adopt_here
export HF_TOKEN=hf_verysecret
run_job exp1 '*.bin' sh -c 'echo x >a.bin'
echo 'print()' >later.py
code=0
drawhitch run b1 --name exp1 --out 'a b/*.bin' --env HF_TOKEN --env 'NOTE=two words' -- \
    sh -c 'mkdir "a b"; echo "$NOTE" >"a b/x.bin"' 2>err.txt || code=$?
cat err.txt
echo "exit code $code, releases: $(ls "$HOME"/drawhitch/*/releases | wc -l)"
eval "$(sed -n 's/^next: //p' err.txt)" >/dev/null 2>&1
drawhitch watch b1 >/dev/null 2>&1
cat "$HOME"/drawhitch/*/runs/r1/work/"a b"/x.bin
# A secret that was typed is in no line we print.
code=0
drawhitch run b1 --name exp1 --env HF_TOKEN=hf_verysecret -- true 2>err.txt || code=$?
sed -n 's/^next: //p' err.txt
