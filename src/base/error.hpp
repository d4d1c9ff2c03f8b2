// The vocabulary of failure: what went wrong (Code), whether trying again can help (Retry) and what to tell the user
// (Error). Owns no policy: exit codes are chosen in cli/exit_code.cpp, retries happen in flow only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace drawhitch {

// One enumerator per class of outside failure. Each has one id ("E-HOSTKEY") in error.cpp and one exit code in
// cli/exit_code.cpp; adding one means adding both rows.
enum class Code {
    // What the user typed or wrote.
    usage,
    config,
    not_trusted,  // a project file asks for something `drawhitch trust` has not allowed
    not_found,    // a named box, run, file, profile or key does not exist
    exists,       // it exists already, or is already running
    // Reaching the box. Each is a class of its own so that the cure can be named.
    dns,
    refused,
    connect_timeout,
    no_banner,  // TCP accepted, but no SSH server spoke, or something else did
    host_key,
    auth,
    key_permissions,
    key_unusable,  // missing, unreadable, unsupported, or its passphrase cannot be asked
    shell_missing,
    noexec,     // no place on the box may execute the helper
    limits,     // MaxSessions, MaxStartups, PerSourcePenalties and the like
    link_lost,  // an established connection ended
    stalled,    // no byte for the stall limit
    timed_out,  // an answer did not come in time on a live connection
    // The box and its helper.
    remote_failed,  // a command or helper request failed there
    protocol,       // the peer broke the wire protocol, or speaks another version
    changed,        // a file changed while it was read
    unsafe_path,    // a path leaves its root, or meets a symlink on write
    permission,
    no_space,
    no_inodes,
    read_only,
    // Proof and policy.
    integrity,
    gate_closed,
    skipped,  // finished, but something was left out and named
    unhealthy,
    provider,
    unconfirmed,
    job_failed,
    job_stalled,
    // This side.
    local_io,
    ledger,
    locked,  // another drawhitch holds the lock
    deadline,
    cancelled,
    internal,
};

// Whether, and how, a flow may try again.
enum class Retry {
    never,
    same_connection,
    reconnect,
    after_wait,
};

// One failure, told once. `message` is one line, lower case, without a full stop, and names the thing and the cause;
// `why` adds what is known about the reason; `next` is the exact command to type. `context` grows on the way up
// ("while reading /data/x on box-3"). No secret may ever enter any field.
struct Error {
    Code code{Code::internal};
    Retry retry{Retry::never};
    std::string message{};
    std::string why{};
    std::string next{};
    std::vector<std::string> context{};

    Error() = default;
    Error(Code error_code, std::string text) : code(error_code), message(std::move(text)) {}
    Error(Code error_code, Retry how, std::string text) : code(error_code), retry(how), message(std::move(text)) {}

    // Builders, used as `return Error{Code::auth, "…"}.because("…").then("drawhitch …")`.
    Error&& because(std::string text) && {
        why = std::move(text);
        return std::move(*this);
    }
    Error&& then(std::string command) && {
        next = std::move(command);
        return std::move(*this);
    }
    Error&& while_(std::string doing) && {
        context.push_back(std::move(doing));
        return std::move(*this);
    }
};

// "E-HOSTKEY" and the like: the stable name users and scripts see.
std::string_view id(Code code);

// The failure of a system call: maps errno to a Code (ENOSPC, EDQUOT -> no_space, EACCES -> permission, EROFS ->
// read_only, ENOENT -> not_found, EEXIST -> exists, ELOOP -> unsafe_path, others -> local_io) and renders
// "cannot DOING WHAT: strerror". `what` is escaped for display.
Error errno_error(int error_number, std::string_view doing, std::string_view what);

}  // namespace drawhitch
