#include "core/proto/refusal.hpp"

#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace drawhitch::proto {

namespace {

// One row per Reason, in order: its name, what the user is told, and whether trying again can help.
struct Row {
    std::string_view name{};
    std::string_view text{};
    Code code{Code::remote_failed};
    Retry retry{Retry::never};
};

constexpr Row k_rows[] = {
    {"none", "the helper gave no reason", Code::protocol, Retry::never},
    {"unknown_message", "the helper on the box does not know this request", Code::protocol, Retry::never},
    {"malformed", "the helper did not understand the request", Code::protocol, Retry::never},
    {"bad_root", "the root is not open", Code::protocol, Retry::never},
    {"unclaimed", "the root is not claimed by this connection", Code::remote_failed, Retry::never},
    {"fenced", "a later transfer took over", Code::locked, Retry::never},
    {"busy", "another transfer is using it", Code::locked, Retry::after_wait},
    {"not_found", "it does not exist", Code::not_found, Retry::never},
    {"exists", "it exists already", Code::exists, Retry::never},
    {"not_a_file", "it is not a regular file", Code::remote_failed, Retry::never},
    {"not_a_directory", "it is not a directory", Code::remote_failed, Retry::never},
    {"not_empty", "the directory is not empty", Code::exists, Retry::never},
    {"changed", "it changed meanwhile", Code::changed, Retry::same_connection},
    {"unsafe_path", "the path leaves its root, passes through a symlink or is reserved", Code::unsafe_path,
     Retry::never},
    {"cross_device", "it lies on another device", Code::remote_failed, Retry::never},
    {"permission", "permission denied", Code::permission, Retry::never},
    {"no_space", "no space left", Code::no_space, Retry::never},
    {"no_inodes", "no inodes left", Code::no_inodes, Retry::never},
    {"read_only", "the file system is read-only", Code::read_only, Retry::never},
    {"too_large", "it is too large", Code::remote_failed, Retry::never},
    {"unsupported", "the file system cannot do that", Code::remote_failed, Retry::never},
    {"io", "the box reported an error", Code::remote_failed, Retry::never},
    {"integrity", "the bytes do not match their digest", Code::integrity, Retry::same_connection},
    {"cancelled", "the request was cancelled", Code::cancelled, Retry::never},
    {"limit", "too much was in flight", Code::protocol, Retry::reconnect},
    {"version", "no common protocol version", Code::protocol, Retry::never},
    {"credit", "more data was sent than granted", Code::protocol, Retry::reconnect},
    {"framing", "a damaged frame", Code::protocol, Retry::reconnect},
    {"silence", "nothing was heard for too long", Code::link_lost, Retry::reconnect},
    {"untrue_size", "it holds more or fewer bytes than its size says", Code::remote_failed, Retry::never},
};
static_assert(std::size(k_rows) == static_cast<std::size_t>(last_of(Reason{})) + 1);

const Row& row(Reason reason) {
    const auto index = static_cast<std::size_t>(reason);
    return k_rows[index < std::size(k_rows) ? index : static_cast<std::size_t>(Reason::io)];
}

struct ErrnoRow {
    int error{0};
    Reason reason{Reason::io};
};

constexpr ErrnoRow k_errnos[] = {
    {ENOENT, Reason::not_found},         {EEXIST, Reason::exists},
    {EISDIR, Reason::not_a_file},        {ENOTDIR, Reason::not_a_directory},
    {ENOTEMPTY, Reason::not_empty},      {ELOOP, Reason::unsafe_path},
    {EXDEV, Reason::cross_device},       {EACCES, Reason::permission},
    {EPERM, Reason::permission},         {ENOSPC, Reason::no_space},
    {EDQUOT, Reason::no_space},          {EROFS, Reason::read_only},
    {EFBIG, Reason::too_large},          {EOPNOTSUPP, Reason::unsupported},
    {ENOSYS, Reason::unsupported},       {EMLINK, Reason::unsupported},
    {ENAMETOOLONG, Reason::unsafe_path}, {ESTALE, Reason::changed},
};

}  // namespace

std::string_view name(Reason reason) {
    return row(reason).name;
}

Reason reason_of_errno(int error) {
    for (const ErrnoRow& candidate : k_errnos)
        if (candidate.error == error) return candidate.reason;
    return Reason::io;
}

Error to_error(const Refusal& refusal, std::string_view doing) {
    const Row& said = row(refusal.reason);
    std::string message = "cannot ";
    message.append(doing);
    if (!refusal.path.empty()) message.append(" ").append(printable(refusal.path));
    message.append(": ");
    const bool plain_errno = refusal.reason == Reason::io && refusal.error != 0;
    message.append(plain_errno ? std::string_view(std::strerror(refusal.error)) : said.text);
    Error error{said.code, said.retry, std::move(message)};
    if (!refusal.text.empty()) error.why = printable(refusal.text);
    return error;
}

}  // namespace drawhitch::proto
