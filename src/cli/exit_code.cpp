#include "cli/exit_code.hpp"

#include <array>
#include <cstddef>

namespace drawhitch::cli {

namespace {

using namespace exit_code;

constexpr std::array k_exits{
    ExitRow{k_ok, "done"},
    ExitRow{k_failed, "failed; the message says what and what was left undone"},
    ExitRow{k_usage, "wrong usage or configuration; nothing was done"},
    ExitRow{k_skipped, "finished, but something was left out; each is named"},
    ExitRow{k_gate_closed, "the gate is closed: nothing was destroyed"},
    ExitRow{k_unreachable, "unknown or unreachable: no verdict about the box or its runs"},
    ExitRow{k_integrity, "bytes do not match their hash"},
    ExitRow{k_unhealthy, "the box is unhealthy or unfit"},
    ExitRow{k_provider, "the provider refused or limited the request"},
    ExitRow{k_unconfirmed, "asked but not proven; it may still bill"},
    ExitRow{k_auth, "authentication or host identity"},
    ExitRow{k_no_space, "no space or no inodes left"},
    ExitRow{k_job_failed, "the job failed"},
    ExitRow{k_job_stalled, "the job stalled"},
    ExitRow{k_internal, "internal error: a bug in drawhitch"},
    ExitRow{k_deadline, "the deadline (--timeout) passed"},
    ExitRow{k_interrupted, "interrupted"},
};

constexpr std::array k_codes{
    CodeRow{Code::usage, k_usage, "the command line is wrong", "drawhitch help {verb}"},
    CodeRow{Code::config, k_usage, "a configuration file, profile or variable is wrong", "drawhitch help config"},
    CodeRow{Code::not_trusted, k_usage, "the project's file asks for something that `drawhitch trust` has not allowed",
            "drawhitch trust --show"},
    CodeRow{Code::not_found, k_failed, "a named box, run, file, profile or key does not exist",
            "drawhitch help {verb}"},
    CodeRow{Code::exists, k_failed, "it exists already, or is already running", "drawhitch ls --all"},
    CodeRow{Code::dns, k_unreachable, "the host name has no address", "{doctor}"},
    CodeRow{Code::refused, k_unreachable, "the connection was refused", "{doctor}"},
    CodeRow{Code::connect_timeout, k_unreachable, "no answer to the connection", "{doctor}"},
    CodeRow{Code::no_banner, k_unreachable, "the port is open, but no SSH server spoke", "{doctor}"},
    CodeRow{Code::host_key, k_auth, "the host key is unknown, changed or refused", "drawhitch help host-keys"},
    CodeRow{Code::auth, k_auth, "no key or password was accepted", "{doctor}"},
    CodeRow{Code::key_permissions, k_auth, "a private key may be read by others", "{doctor}"},
    CodeRow{Code::key_unusable, k_auth, "a private key cannot be used", "ssh-add -l"},
    CodeRow{Code::shell_missing, k_unreachable, "the box gives no usable shell", "{doctor}"},
    CodeRow{Code::noexec, k_unhealthy, "no place on the box may execute the helper", "{doctor}"},
    CodeRow{Code::limits, k_unreachable, "the server limits sessions or connections", "{again}"},
    CodeRow{Code::link_lost, k_unreachable, "the connection ended", "{again}"},
    CodeRow{Code::stalled, k_unreachable, "nothing came for too long", "{again}"},
    CodeRow{Code::timed_out, k_unreachable, "an answer did not come in time", "{again}"},
    CodeRow{Code::remote_failed, k_failed, "a command or request failed on the box", "{doctor}"},
    CodeRow{Code::protocol, k_failed, "the helper broke the protocol or speaks another version", "{doctor}"},
    CodeRow{Code::changed, k_failed, "a file changed while it was read", "{again}"},
    CodeRow{Code::unsafe_path, k_failed, "a path leaves its root or meets a symbolic link", "drawhitch help {verb}"},
    CodeRow{Code::permission, k_failed, "permission denied", "{doctor}"},
    CodeRow{Code::no_space, k_no_space, "no space left", "{doctor}"},
    CodeRow{Code::no_inodes, k_no_space, "no inodes left", "{doctor}"},
    CodeRow{Code::read_only, k_failed, "the file system is read-only", "{doctor}"},
    CodeRow{Code::integrity, k_integrity, "bytes do not match their hash", "{doctor}"},
    CodeRow{Code::gate_closed, k_gate_closed, "the gate is closed: nothing was destroyed", "drawhitch down{box} -n"},
    CodeRow{Code::skipped, k_skipped, "something was left out", "drawhitch help {verb}"},
    CodeRow{Code::unhealthy, k_unhealthy, "the box is unhealthy", "{doctor}"},
    CodeRow{Code::provider, k_provider, "the provider refused or limited the request", "drawhitch profile ls"},
    CodeRow{Code::unconfirmed, k_unconfirmed, "asked but not proven", "drawhitch ls"},
    CodeRow{Code::job_failed, k_job_failed, "the job failed", "drawhitch logs{box}"},
    CodeRow{Code::job_stalled, k_job_stalled, "the job stalled", "drawhitch logs{box}"},
    CodeRow{Code::local_io, k_failed, "a file on this machine cannot be read or written",
            "drawhitch config path --json"},
    CodeRow{Code::ledger, k_failed, "the ledger cannot be used", "drawhitch config path ledger"},
    CodeRow{Code::locked, k_failed, "another drawhitch holds the lock", "{again}"},
    CodeRow{Code::deadline, k_deadline, "the deadline passed", "{again} --timeout {longer}"},
    CodeRow{Code::cancelled, k_interrupted, "interrupted", "{again}"},
    CodeRow{Code::internal, k_internal, "a bug in drawhitch", "drawhitch version --json"},
};

// A new Code without a row here, or a row that does not say what to type, does not compile.
constexpr bool complete() {
    for (std::size_t i = 0; i < k_codes.size(); ++i) {
        if (static_cast<std::size_t>(k_codes[i].code) != i || k_codes[i].next.empty()) return false;
    }
    return k_codes.size() == static_cast<std::size_t>(Code::internal) + 1;
}
static_assert(complete());

}  // namespace

std::span<const ExitRow> exit_rows() {
    return k_exits;
}

std::span<const CodeRow> code_rows() {
    return k_codes;
}

const CodeRow& row_of(Code code) {
    return k_codes[static_cast<std::size_t>(code)];
}

int exit_code_of(Code code) {
    return row_of(code).exit;
}

}  // namespace drawhitch::cli
