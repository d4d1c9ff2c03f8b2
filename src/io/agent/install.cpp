#include "io/agent/install.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::agent {

namespace {

// Prologue: D (data directory, may be empty), T (places that failed already, joined by ':'), and I_x86_64, I_aarch64
// (build ids, empty where there is no image).
// Words go out one to a line, "key value". Only paths that a login shell cannot misread are offered.
constexpr std::string_view k_survey = R"sh(
LC_ALL=C; export LC_ALL
umask 077
a=$(uname -m)
case $a in amd64) a=x86_64 ;; arm64) a=aarch64 ;; esac
echo "arch $a"
case $a in x86_64) i=$I_x86_64 ;; aarch64) i=$I_aarch64 ;; *) i= ;; esac
[ -n "$i" ] || exit 0
command -v zstd >/dev/null 2>&1 && echo 'zstd yes'
u=$(id -u)
bad() { echo "bad $1: $2"; }
ours() {
  l=$(ls -ldn "$1" 2>/dev/null) || { bad "$1" 'cannot be made'; return 1; }
  set -- "$1" $l
  case $2 in d*) ;; *) bad "$1" 'not a directory'; return 1 ;; esac
  [ "$4" = "$u" ] || { bad "$1" 'belongs to another user'; return 1; }
  case $2 in ?????w*|????????w*) bad "$1" 'others may write to it'; return 1 ;; esac
}
room() {
  k=$(df -Pk "$1" 2>/dev/null | tail -n 1) || return 0
  set -- "$1" $k
  case $5 in ''|*[!0-9]*) return 0 ;; esac
  [ "$5" -ge 4096 ] || { bad "$1" 'less than 4 MiB free'; return 1; }
}
runs() {
  t=$1/.try.$$
  { printf '#!/bin/sh\nexit 0\n' >"$t"; } 2>/dev/null || { bad "$1" 'cannot be written'; return 1; }
  chmod 700 "$t" 2>/dev/null
  "$t" 2>/dev/null; r=$?
  rm -f "$t"
  [ "$r" = 0 ] || { bad "$1" 'programs may not run there (noexec)'; return 1; }
}
safe() {
  case $1 in /*) ;; *) return 1 ;; esac
  case $1 in *[!A-Za-z0-9/._-]*) bad "$1" 'its name has characters that login shells read'; return 1 ;; esac
}
look() {
  f=$1/helper-$i
  [ -f "$f" ] && [ ! -h "$f" ] && safe "$1" && ours "$1" || return
  case $("$f" --version 2>/dev/null) in *" $i "*) echo "have $f"; exit 0 ;; esac
}
try() {
  case :$T: in *:"$1":*) return ;; esac
  safe "$1" || return
  [ -d "$1" ] || mkdir -p "$1" 2>/dev/null
  ours "$1" && room "$1" && runs "$1" && { echo "place $1"; exit 0; }
}
each() {
  [ -n "$HOME" ] && "$1" "$HOME/.cache/drawhitch"
  [ -n "$XDG_RUNTIME_DIR" ] && "$1" "$XDG_RUNTIME_DIR/drawhitch"
  [ -n "$D" ] && [ -d "$D" ] && "$1" "$D/.drawhitch-helper-$u"
  "$1" "/dev/shm/drawhitch-$u"
  "$1" "/tmp/drawhitch-$u"
}
[ -n "$T" ] || each look
each try
exit 0
)sh";

// Prologue: P (directory), I (build id), Z (yes to unpack). The image follows on stdin.
constexpr std::string_view k_install = R"sh(
LC_ALL=C; export LC_ALL
umask 077
f=$P/helper-$I
t=$P/.new-$I.$$
trap 'rm -f "$t"' 0 1 2 15
if [ "$Z" = yes ]; then zstd -q -d -c >"$t"; else cat >"$t"; fi || { echo 'failed write'; exit 0; }
chmod 700 "$t" || { echo 'failed chmod'; exit 0; }
v=$("$t" --version) || { echo 'failed run'; exit 0; }
case $v in *" $I "*) ;; *) echo 'failed damaged'; exit 0 ;; esac
mv -f "$t" "$f" || { echo 'failed rename'; exit 0; }
find "$P" -type f -name 'helper-*' ! -name "helper-$I" -mtime +30 -exec rm -f {} + 2>/dev/null
find "$P" -type f -name '.new-*' -mtime +1 -exec rm -f {} + 2>/dev/null
echo 'done'
)sh";

std::string assign(std::string_view name, std::string_view value) {
    return std::string(name) + "=" + shell_quote(value) + "\n";
}

bool mentions(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

Error install_failed(std::string_view why, std::string_view err, const std::string& place) {
    const std::string said = printable(trim(err));
    Error error{Code::remote_failed, "cannot put the helper into " + place};
    if (mentions(err, "No space left") || mentions(err, "uota exceeded")) {
        error = Error{Code::no_space, "there is no room for the helper in " + place};
    } else if (why == "run") {
        error = Error{Code::noexec, "the box does not run the helper in " + place};
    } else if (why == "damaged") {
        error = Error{Code::integrity, Retry::same_connection, "the helper did not arrive whole in " + place};
    }
    error.why = said.empty() ? "step: " + std::string(why) : "the box said: " + said;
    return error;
}

// "key value" lines. Unknown keys are skipped: a later script may say more.
template <class Take>
void for_each_line(std::string_view out, Take take) {
    for (const std::string_view line : split(out, '\n')) {
        const std::size_t space = line.find(' ');
        if (space != std::string_view::npos) take(line.substr(0, space), std::string(trim(line.substr(space + 1))));
    }
}

}  // namespace

Result<Survey> survey(const Op& op, transport::Transport& transport, const HelperImages& images,
                      std::string_view data_dir, std::span<const std::string> tried) {
    std::string script = assign("D", data_dir);
    script += assign("T", join(tried, ":"));
    script += assign("I_x86_64", images.build_id("x86_64"));
    script += assign("I_aarch64", images.build_id("aarch64"));
    script += k_survey;
    TRY_ASSIGN(const transport::ScriptResult result, transport::run_script(op, transport, script));
    Survey found;
    for_each_line(result.out, [&found](std::string_view key, const std::string& value) {
        if (key == "arch") found.arch = value;
        if (key == "have") found.existing = value;
        if (key == "place") found.place = value;
        if (key == "bad") found.refused.push_back(value);
        if (key == "zstd") found.can_unpack = true;
    });
    if (found.arch.empty()) {
        Error error{Code::shell_missing, "the shell on the box does not answer as a POSIX shell does"};
        error.why = "it said: " + printable(trim(result.out + result.err).substr(0, 200));
        return error;
    }
    return found;
}

Result<std::string> install(const Op& op, transport::Transport& transport, const HelperImage& image,
                            const Survey& survey) {
    const std::string& place = survey.place;
    const bool packed = survey.can_unpack && !image.packed.empty();
    std::string script = assign("P", place) + assign("I", image.build_id) + assign("Z", packed ? "yes" : "no");
    script += k_install;
    TRY_ASSIGN(const transport::ScriptResult result,
               transport::run_script(op, transport, script, packed ? image.packed : image.bytes));
    std::string failed = "no answer";
    bool done = false;
    for (const std::string_view line : split(result.out, '\n')) {
        if (trim(line) == "done") done = true;
        if (line.starts_with("failed ")) failed = trim(line.substr(7));
    }
    if (!done) return install_failed(failed, result.err, place);
    return place + "/helper-" + image.build_id;
}

}  // namespace drawhitch::agent
