# shellcheck shell=sh
# The body of a run's wrapper, run.sh. Values come before it: RUN_DIR WORK NAME TOKEN ATTEMPT ENV_FILE ACTIVATE PROC
# CGROUP, and three functions: `defaults` (variables exported where the user set none), `job` (the user's command) and
# `shown` (whether a variable's value may be recorded).
# It runs in two roles. Without an argument it supervises: it starts the job, waits, and records how it ended. With
# the argument "job" it becomes the job: it records who it is, prepares the environment and hands over by exec.
# Under dash, bash and busybox sh alike; nothing but POSIX and what it asks for first.
set -f

default() { eval "[ -n \"\${$1+x}\" ]" || eval "export $1=\$2"; }

# Thread pools size themselves from the host's cores. The user's own word about any of them stands for all.
thread_caps() {
    [ -n "${OMP_NUM_THREADS+x}${MKL_NUM_THREADS+x}${OPENBLAS_NUM_THREADS+x}${NUMEXPR_NUM_THREADS+x}" ] && return
    for pool in OMP_NUM_THREADS MKL_NUM_THREADS OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS NUMEXPR_MAX_THREADS; do
        default "$pool" "$1"
    done
}

# The fields of /proc/PID/stat behind the name, which may hold anything: 20 is the start time in ticks.
start_ticks_of() {
    line=$(cat "$PROC/$1/stat" 2>/dev/null) || return 1
    # shellcheck disable=SC2086
    set -- ${line##*) }
    echo "${20-}"
}

read_first() { { IFS= read -r first <"$1"; } 2>/dev/null && echo "$first"; }

# The file that counts the processes this control group lost to the memory killer; nothing where there is none.
oom_file() {
    v2=$(sed -n 's/^0:://p' "$PROC/self/cgroup" 2>/dev/null)
    v1=$(sed -n 's/^[0-9]*:[^:]*memory[^:]*://p' "$PROC/self/cgroup" 2>/dev/null | head -n 1)
    for file in "$CGROUP$v2/memory.events" "$CGROUP/memory.events" \
        "$CGROUP/memory$v1/memory.oom_control" "$CGROUP/memory/memory.oom_control"; do
        if grep -q '^oom_kill ' "$file" 2>/dev/null; then
            echo "$file"
            return 0
        fi
    done
    return 1
}

oom_kills() {
    count=$(sed -n 's/^oom_kill //p' "$1" 2>/dev/null)
    case $count in '' | *[!0-9]*) echo null ;; *) echo "$count" ;; esac
}

number() { case $1 in '' | *[!0-9]*) echo null ;; *) echo "$1" ;; esac; }

# --- The job's side -------------------------------------------------------------------------------------------------

give_up() {
    echo "drawhitch: $2" >&2
    echo "$1" >"$RUN_DIR/stage.$ATTEMPT"
    exit 125
}

record_start() {
    # shellcheck disable=SC2046
    {
        set -- $(sed 's/.*) //' "$PROC/$$/stat" 2>/dev/null)
        group=${3-} session=${4-} ticks=${20-}
        boot=$(read_first "$PROC/sys/kernel/random/boot_id" | tr -cd '0-9a-f-')
    }
    kills=null
    counter=$(oom_file) && kills=$(oom_kills "$counter") && echo "$counter" >"$RUN_DIR/oom_file"
    size=$(stat -c %s "$RUN_DIR/log" 2>/dev/null)
    printf '{"schema":1,"attempt":%s,"token":"%s","pid":%s,"pgid":%s,"session":%s,"start_ticks":%s,"boot_id":"%s",' \
        "$ATTEMPT" "$TOKEN" "$$" "$(number "$group")" "$(number "$session")" "$(number "$ticks")" "$boot"
    printf '"pid1_ticks":%s,"started":%s,"oom_kills":%s,"log_offset":%s,"wrapper_pid":%s,"wrapper_ticks":%s}\n' \
        "$(number "$(start_ticks_of 1)")" "$(date +%s)" "$kills" "$(number "$size")" "$PPID" \
        "$(number "$(start_ticks_of "$PPID")")"
}

json_value() {
    if [ "$(printf %s "$1" | LC_ALL=C tr -d '\040-\176' | wc -c)" -eq 0 ]; then
        printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"
    elif coded=$(printf %s "$1" | base64 2>/dev/null); then
        printf '{"b64":"%s"}' "$(echo "$coded" | tr -d '\n')"
    else
        printf null
    fi
}

# What the job really gets, as far as it may be shown, into the record that was placed before: by now it is known what the
# box, the profile, the defaults and the activation line made of it. A record that cannot be written stops no job.
record_environment() (
    umask 077
    record=$RUN_DIR/run.json
    [ "$(tail -n 1 "$record" 2>/dev/null)" = '}' ] || exit 0
    {
        sed '$d' "$record" | sed '$s/$/,/' && printf '  "env_at_start": {' && between= &&
            env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p' | sort -u | while IFS= read -r name; do
                if shown "$name" && eval "[ -n \"\${$name+x}\" ]"; then
                    eval "value=\$$name"
                    printf '%s\n    "%s": %s' "$between" "$name" "$(json_value "$value")"
                    between=,
                fi
            done && printf '\n  }\n}\n'
    } >"$record.new" 2>/dev/null && mv -f "$record.new" "$record" 2>/dev/null || rm -f "$record.new"
)

# A shell starts background commands with INT and QUIT ignored, and a program that finds them ignored leaves them so:
# a training loop could not be interrupted in good order. Whatever can set them back to default is asked to.
launch() {
    case $1 in
        *=*) exec "$@" ;;
    esac
    if env --default-signal=INT,QUIT true 2>/dev/null; then
        exec env --default-signal=INT,QUIT "$@"
    elif perl -e 1 2>/dev/null; then
        exec perl -e '$SIG{INT} = $SIG{QUIT} = "DEFAULT"; { no warnings; exec { $ARGV[0] } @ARGV; }
            print STDERR "drawhitch: cannot run $ARGV[0]: $!\n"; exit($!{ENOENT} ? 127 : 126)' -- "$@"
    fi
    exec "$@"
}

become_job() {
    if ! { record_start >"$RUN_DIR/start.json.new" && mv -f "$RUN_DIR/start.json.new" "$RUN_DIR/start.json"; }; then
        give_up record "cannot record the start in $RUN_DIR"
    fi
    cd "$WORK" || give_up work "cannot enter the work tree $WORK"
    [ -r "$ENV_FILE" ] || give_up environment "the environment file $ENV_FILE is gone; it lives until the box restarts"
    # shellcheck disable=SC1090
    . "$ENV_FILE"
    DRAWHITCH_RUN=$NAME DRAWHITCH_RUN_DIR=$RUN_DIR DRAWHITCH_RUN_TOKEN=$TOKEN DRAWHITCH_ATTEMPT=$ATTEMPT
    export DRAWHITCH_RUN DRAWHITCH_RUN_DIR DRAWHITCH_RUN_TOKEN DRAWHITCH_ATTEMPT
    defaults
    set +f
    if [ -n "$ACTIVATE" ]; then
        eval "$ACTIVATE" || give_up activate "the activation line failed: $ACTIVATE"
    fi
    record_environment
    job
}

if [ "${1-}" = job ]; then
    become_job
    exit 125
fi

# --- The supervisor's side ------------------------------------------------------------------------------------------

# Whoever makes this directory owns the attempt: a second start of the same attempt ends here, without a trace.
mkdir "$RUN_DIR/started.$ATTEMPT" 2>/dev/null || exit 0

exec </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
# A terminal is tmux's: it takes the session down once nobody holds the terminal any more.
[ -t 1 ] || exec >/dev/null 2>&1

language=${LC_ALL-} had_language=${LC_ALL+x}
LC_ALL=C
caught=
trap 'caught="$caught${caught:+,}\"TERM\""' TERM
trap 'caught="$caught${caught:+,}\"HUP\""' HUP
trap 'caught="$caught${caught:+,}\"INT\""' INT

# What `jobs` says is the only way to tell "killed by 9" from "exited with 137", and only while the shell still knows.
words=${ENV_FILE%/*}/jobs.$TOKEN.$ATTEMPT
: >"$words" 2>/dev/null || words=$RUN_DIR/jobs.$ATTEMPT

# Room for the last word is taken now: the disk may be full by then.
{
    i=0
    while [ $i -lt 32 ]; do
        printf '%63s\n' ''
        i=$((i + 1))
    done
} >"$RUN_DIR/exit.json.new"

shell=/bin/sh
command -v bash >/dev/null 2>&1 && shell=bash
own_session=
command -v setsid >/dev/null 2>&1 && own_session=setsid

start_job() {
    if [ -n "$had_language" ]; then LC_ALL=$language; else unset LC_ALL; fi
    trap - TERM HUP CHLD
    # shellcheck disable=SC2086
    exec $own_session $shell "$RUN_DIR/run.sh" job
}

started=$(date +%s)
kills_before=null
counter=$(oom_file) && kills_before=$(oom_kills "$counter")
[ -n "${BASH_VERSION-}" ] || trap 'jobs >"$words" 2>/dev/null' CHLD
start_job >>"$RUN_DIR/log" 2>&1 &
job_pid=$!

# A job of another user (sudo) refuses the 0.
lives() { kill -0 "$job_pid" 2>/dev/null || [ -e "$PROC/$job_pid" ]; }

# Sets status. A caught signal interrupts the wait; the job goes on, and so do we.
wait_for_job() {
    status=0
    while :; do
        wait "$job_pid"
        status=$?
        [ "$status" = 127 ] && break
        lives || break
    done
    # The wait may have told of a signal while the job ended: ask again. No process may be started before this is done,
    # as its end would overwrite the words.
    [ "$status" -gt 128 ] || return 0
    wait "$job_pid" 2>/dev/null
    again=$?
    [ "$again" -eq 127 ] || status=$again
}

# bash forgets a child whose end meets an interrupted wait. It is let alone until the child is gone; then it tells of
# exit codes by `jobs`, and says nothing there about a child that a signal killed.
wait_for_job_in_bash() {
    while lives; do sleep 1; done
    jobs >"$words" 2>/dev/null
    wait "$job_pid" 2>/dev/null
    status=$?
    [ -s "$words" ] || [ "$status" -le 128 ] || echo '[1] Signal' >"$words"
}

if [ -n "${BASH_VERSION-}" ]; then wait_for_job_in_bash; else wait_for_job; fi
trap : CHLD

# Sets code and signal (JSON) from the shell's words, and from the wait status where they are silent.
decode_status() {
    said=$(sed -n 's/^\[[0-9]*\] *[+-]* *//p' "$words" 2>/dev/null | tail -n 1)
    rm -f "$words"
    code=null signal=null sure=true
    case $said in
        'Done('*) code=${said#Done(} code=${code%%)*} ;;
        Done*) code=0 ;;
        'Exit '*) code=${said#Exit } code=${code%% *} ;;
        Killed*) signal='"KILL"' ;;
        Terminated*) signal='"TERM"' ;;
        Hangup*) signal='"HUP"' ;;
        Interrupt*) signal='"INT"' ;;
        Quit*) signal='"QUIT"' ;;
        'Segmentation fault'*) signal='"SEGV"' ;;
        Aborted*) signal='"ABRT"' ;;
        'Bus error'*) signal='"BUS"' ;;
        'Illegal instruction'*) signal='"ILL"' ;;
        'Floating point exception'* | 'Arithmetic exception'*) signal='"FPE"' ;;
        'Broken pipe'*) signal='"PIPE"' ;;
        'Alarm clock'*) signal='"ALRM"' ;;
        'User defined signal 1'*) signal='"USR1"' ;;
        'User defined signal 2'*) signal='"USR2"' ;;
        *) sure=false ;;
    esac
    [ "$sure" = true ] && return
    code=$status
    [ "$status" -le 128 ] && sure=true && return
    case $said in
        '' | Running*) return ;; # the shell told nothing: an exit code it stays, marked as unsure
    esac
    # Killed by something else. 145 is busybox telling of the child's end instead of its status.
    name=
    [ "$status" -eq 145 ] || name=$(kill -l "$status" 2>/dev/null | tr -cd '[:upper:][:digit:]')
    [ -z "$name" ] || sure=true
    name=${name:-UNKNOWN}
    code=null signal="\"${name#SIG}\""
}
decode_status

# A script that was written elsewhere may name an interpreter that ends in a carriage return. The kernel finds no such
# program, and the shell says only that the script is not found.
names_broken_script() (
    cd "$WORK" || exit 1
    return_key=$(printf '\r')
    # shellcheck disable=SC2048
    launch() {
        for file in "$@" $*; do
            file=${file%%[;&|]*}
            [ -f "$file" ] && [ -r "$file" ] || continue
            case $(dd bs=256 count=1 <"$file" 2>/dev/null | tr '\000' ' ' | head -n 1) in
                '#!'*"$return_key") exit 0 ;;
            esac
        done
        exit 1
    }
    job
)
script=
case $code in 126 | 127) names_broken_script 2>/dev/null && script=cr ;; esac

kills_after=null
[ -n "${counter-}" ] && kills_after=$(oom_kills "$counter")
stage=job
[ -r "$RUN_DIR/stage.$ATTEMPT" ] && stage=$(tr -cd '[:lower:]' <"$RUN_DIR/stage.$ATTEMPT")
boot=$(read_first "$PROC/sys/kernel/random/boot_id" | tr -cd '0-9a-f-')
record=$(
    printf '{"schema":1,"attempt":%s,"token":"%s","pid":%s,"code":%s,"signal":%s,"sure":%s,"stage":"%s","script":"%s",' \
        "$ATTEMPT" "$TOKEN" "$job_pid" "$code" "$signal" "$sure" "$stage" "$script"
    printf '"started":%s,"ended":%s,"boot_id":"%s","oom_before":%s,"oom_after":%s,"caught":[%s]}' \
        "$started" "$(date +%s)" "$boot" "$kills_before" "$kills_after" "$caught"
)
echo "$record" | dd of="$RUN_DIR/exit.json.new" conv=notrunc,fsync 2>/dev/null || echo "$record" >"$RUN_DIR/exit.json.new"
mv -f "$RUN_DIR/exit.json.new" "$RUN_DIR/exit.json"
sync "$RUN_DIR/exit.json" "$RUN_DIR" 2>/dev/null
exit 0
