#include "base/error.hpp"

#include <cerrno>
#include <cstring>

#include "base/text.hpp"

namespace drawhitch {

std::string_view id(Code code) {
    switch (code) {
        case Code::usage:
            return "E-USAGE";
        case Code::config:
            return "E-CONFIG";
        case Code::not_trusted:
            return "E-TRUST";
        case Code::not_found:
            return "E-NOTFOUND";
        case Code::exists:
            return "E-EXISTS";
        case Code::dns:
            return "E-DNS";
        case Code::refused:
            return "E-REFUSED";
        case Code::connect_timeout:
            return "E-CONNECT";
        case Code::no_banner:
            return "E-BANNER";
        case Code::host_key:
            return "E-HOSTKEY";
        case Code::auth:
            return "E-AUTH";
        case Code::key_permissions:
            return "E-KEYMODE";
        case Code::key_unusable:
            return "E-KEY";
        case Code::shell_missing:
            return "E-SHELL";
        case Code::noexec:
            return "E-NOEXEC";
        case Code::limits:
            return "E-LIMITS";
        case Code::link_lost:
            return "E-LINK";
        case Code::stalled:
            return "E-STALLED";
        case Code::timed_out:
            return "E-TIMEOUT";
        case Code::remote_failed:
            return "E-REMOTE";
        case Code::protocol:
            return "E-PROTOCOL";
        case Code::changed:
            return "E-CHANGED";
        case Code::unsafe_path:
            return "E-PATH";
        case Code::permission:
            return "E-PERMISSION";
        case Code::no_space:
            return "E-NOSPACE";
        case Code::no_inodes:
            return "E-NOINODES";
        case Code::read_only:
            return "E-READONLY";
        case Code::integrity:
            return "E-INTEGRITY";
        case Code::gate_closed:
            return "E-GATE";
        case Code::skipped:
            return "E-SKIPPED";
        case Code::unhealthy:
            return "E-UNHEALTHY";
        case Code::provider:
            return "E-PROVIDER";
        case Code::unconfirmed:
            return "E-UNCONFIRMED";
        case Code::job_failed:
            return "E-JOBFAILED";
        case Code::job_stalled:
            return "E-JOBSTALLED";
        case Code::local_io:
            return "E-LOCALIO";
        case Code::ledger:
            return "E-LEDGER";
        case Code::locked:
            return "E-LOCKED";
        case Code::deadline:
            return "E-DEADLINE";
        case Code::cancelled:
            return "E-CANCELLED";
        case Code::internal:
            return "E-INTERNAL";
    }
    return "E-INTERNAL";
}

namespace {

Code code_of(int error_number) {
    switch (error_number) {
        case ENOSPC:
        case EDQUOT:
            return Code::no_space;
        case EACCES:
        case EPERM:
            return Code::permission;
        case EROFS:
            return Code::read_only;
        case ENOENT:
            return Code::not_found;
        case EEXIST:
            return Code::exists;
        case ELOOP:
            return Code::unsafe_path;
        default:
            return Code::local_io;
    }
}

}  // namespace

Error errno_error(int error_number, std::string_view doing, std::string_view what) {
    std::string message = "cannot ";
    message.append(doing).append(" ").append(printable(what)).append(": ").append(std::strerror(error_number));
    return Error{code_of(error_number), std::move(message)};
}

}  // namespace drawhitch
