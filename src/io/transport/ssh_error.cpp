#include "io/transport/ssh_error.hpp"

#include <libssh2.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/text.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_shown_bytes = 120;

// The first line of what a peer said, fit for a terminal.
std::string first_line(std::string_view text) {
    text = trim(text);
    text = trim(text.substr(0, text.find('\n')));
    std::string line = printable(text.substr(0, k_shown_bytes));
    if (text.size() > k_shown_bytes) line += "…";
    return line;
}

// What the user's own ssh program, with the same key, has to say about it.
std::string check_command(const SshTarget& target) {
    std::string command = "ssh -v -p " + std::to_string(target.port);
    for (const std::string& file : target.identity_files)
        command += " -i " + shell_quote(file);
    return command + " " + printable(target.user) + "@" + printable(target.host) + " true";
}

// Classes that a talkative ssh tells more about. A host key is no such class: ssh would offer to accept it.
bool is_for_ssh(Code code) {
    return code == Code::dns || code == Code::refused || code == Code::connect_timeout || code == Code::no_banner ||
           code == Code::limits || code == Code::protocol || code == Code::auth || code == Code::shell_missing;
}

}  // namespace

Error resolver_error(int code, std::string_view host) {
    const std::string name = printable(host);
    if (code == EAI_AGAIN) {
        return Error{Code::dns, Retry::after_wait,
                     "the name " + name + " could not be looked up: no answer from a name server"}
            .because("this machine's network or name server does not answer; nothing is known about the box")
            .then("getent hosts " + name);
    }
    if (code == EAI_SYSTEM || code == EAI_MEMORY) {
        return Error{Code::dns, Retry::after_wait,
                     "the name " + name + " could not be looked up: " + std::strerror(errno)};
    }
    return Error{Code::dns, Retry::never, "the name " + name + " does not exist"}
        .because("the resolver says: " + std::string(::gai_strerror(code)))
        .then("getent hosts " + name);
}

Error connect_error(int error_number, const SshTarget& target) {
    const std::string where = target.shown_host();
    switch (error_number) {
        case ECONNREFUSED:
            return Error{Code::refused, Retry::after_wait, "nothing listens on " + where + ": connection refused"}
                .because(
                    "the machine answers, its SSH port does not: it may still be starting, or the port has changed")
                .then(check_command(target));
        case ETIMEDOUT:
            return Error{Code::connect_timeout, Retry::after_wait,
                         where + " did not answer the connection attempt in time"}
                .because("the machine may be off, its address may have changed, or a firewall drops the packets")
                .then(check_command(target));
        case ENETUNREACH:
        case EHOSTUNREACH:
        case ENETDOWN:
            return Error{Code::connect_timeout, Retry::after_wait, "no route to " + where}
                .because(std::string("the network says: ") + std::strerror(error_number))
                .then(check_command(target));
        case EACCES:
        case EPERM:
            return Error{Code::permission, Retry::never, "this machine does not allow a connection to " + where}
                .because("a local firewall or sandbox refused it; the box was not asked")
                .then(check_command(target));
        default:
            return Error{Code::connect_timeout, Retry::after_wait,
                         "cannot connect to " + where + ": " + std::strerror(error_number)}
                .then(check_command(target));
    }
}

namespace {

// Servers that are too busy, or angry, say so in place of a greeting.
struct Greeting {
    std::string_view says;
    std::string_view why;
};
constexpr std::array k_busy_greetings{
    Greeting{"MaxStartups", "the server has too many unauthenticated connections at the moment (its MaxStartups)"},
    // Since release 9.8 OpenSSH says this for every reason it has; which one it was stands only in its own log.
    Greeting{"Not allowed at this time",
             "the server has too many unauthenticated connections at the moment (its MaxStartups), or keeps this "
             "address out for a while (its PerSourcePenalties)"},
    Greeting{"Too many connections", "the server limits the number of connections"},
};

Error busy_error(std::string_view why, const SshTarget& target) {
    return Error{Code::limits, Retry::after_wait, target.shown_host() + " turns connections away for now"}
        .because(std::string(why))
        .then(check_command(target));
}

Error greeting_error(const SshTrouble& trouble, const SshTarget& target) {
    for (const Greeting& busy : k_busy_greetings) {
        if (trouble.greeting.find(busy.says) != std::string::npos) return busy_error(busy.why, target);
    }
    const std::string said = first_line(trouble.greeting);
    if (!said.empty()) {
        return Error{Code::no_banner, Retry::never,
                     target.shown_host() + " is no SSH server: it answers \"" + said + "\""}
            .because("another service listens on this port, or a proxy stands in between")
            .then(check_command(target));
    }
    return Error{Code::no_banner, Retry::after_wait, target.shown_host() + " closed the connection without a greeting"}
        .because("the port is forwarded to nothing, the server drops this address, or it is just starting or too busy")
        .then(check_command(target));
}

// libssh2's codes by phase. The first row that matches counts; code 0 stands for any.
struct Row {
    SshPhase phase;
    int code;
    Code ours;
    Retry retry;
    std::string_view message;  // "%" stands for the target
    std::string_view why;
};
constexpr std::array k_rows{
    Row{SshPhase::handshake, LIBSSH2_ERROR_KEX_FAILURE, Code::protocol, Retry::never,
        "no common key exchange or cipher with %",
        "libssh2 and the server share no algorithm; the ssh program may: transport = \"openssh\""},
    Row{SshPhase::handshake, LIBSSH2_ERROR_METHOD_NONE, Code::protocol, Retry::never,
        "no common key exchange or cipher with %",
        "libssh2 and the server share no algorithm; the ssh program may: transport = \"openssh\""},
    Row{SshPhase::handshake, LIBSSH2_ERROR_METHOD_NOT_SUPPORTED, Code::protocol, Retry::never,
        "no common key exchange or cipher with %",
        "libssh2 and the server share no algorithm; the ssh program may: transport = \"openssh\""},
    Row{SshPhase::handshake, LIBSSH2_ERROR_HOSTKEY_INIT, Code::host_key, Retry::never,
        "% did not prove its host key; nothing was sent", "the key it shows cannot be read"},
    Row{SshPhase::handshake, LIBSSH2_ERROR_HOSTKEY_SIGN, Code::host_key, Retry::never,
        "% did not prove its host key; nothing was sent",
        "its signature is wrong: something else may stand in between"},
    Row{SshPhase::handshake, 0, Code::no_banner, Retry::after_wait, "the SSH handshake with % failed", ""},
    Row{SshPhase::authentication, 0, Code::auth, Retry::never, "% did not let us in", ""},
    Row{SshPhase::opening, LIBSSH2_ERROR_CHANNEL_FAILURE, Code::limits, Retry::reconnect,
        "% refuses another session on this connection", "its MaxSessions is reached"},
    Row{SshPhase::opening, LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED, Code::shell_missing, Retry::never,
        "% does not run commands", "the server accepts the login but refuses the request to start a program"},
    Row{SshPhase::opening, 0, Code::link_lost, Retry::reconnect,
        "the connection to % ended while a program was started", ""},
    Row{SshPhase::running, 0, Code::link_lost, Retry::reconnect, "the connection to % ended", ""},
};

const Row* row_of(SshPhase phase, int code) {
    for (const Row& row : k_rows) {
        if (row.phase == phase && (row.code == 0 || row.code == code)) return &row;
    }
    return nullptr;
}

std::string filled(std::string_view text, const SshTarget& target) {
    const std::size_t at = text.find('%');
    if (at == std::string_view::npos) return std::string(text);
    return std::string(text.substr(0, at)) + target.shown() + std::string(text.substr(at + 1));
}

// Why it ended, in the most telling words at hand.
std::string reason(const SshTrouble& trouble, std::string_view known) {
    if (!trouble.farewell.empty()) return "the server says: " + first_line(trouble.farewell);
    if (!known.empty()) return std::string(known);
    if (trouble.socket_error != 0) return std::strerror(trouble.socket_error);
    if (trouble.closed) return "the other side closed it";
    return trouble.detail.empty() ? std::string{} : "libssh2 says: " + printable(trouble.detail);
}

}  // namespace

Error ssh_error(const SshTrouble& trouble, const SshTarget& target) {
    if (trouble.phase == SshPhase::greeting) return greeting_error(trouble, target);
    const Row* row = row_of(trouble.phase, trouble.code);
    if (row == nullptr) return Error{Code::internal, "an SSH failure without a row: " + printable(trouble.detail)};
    Error error{row->ours, row->retry, filled(row->message, target)};
    error.why = reason(trouble, row->why);
    // A line that breaks is no verdict about the login, and a server that has enough says so.
    const bool broken = trouble.farewell.empty() && (trouble.socket_error != 0 || trouble.closed);
    if (trouble.phase == SshPhase::authentication && broken) {
        error.code = Code::link_lost;
        error.retry = Retry::reconnect;
        error.message = "the connection to " + target.shown() + " ended during the login";
    }
    if (is_for_ssh(error.code)) error.next = check_command(target);
    return error;
}

Error stalled_error(SshPhase phase, milliseconds quiet, const std::string& greeting, const SshTarget& target) {
    const std::string seconds = std::to_string((quiet.count() + 999) / 1000) + " s";
    if (phase == SshPhase::greeting && greeting.empty()) {
        return Error{Code::no_banner, Retry::after_wait,
                     target.shown_host() + " accepts the connection but sends no SSH greeting within " + seconds}
            .because("another service listens there, the server hangs, or a proxy has no way to the box")
            .then(check_command(target));
    }
    return Error{Code::stalled, Retry::reconnect, target.shown() + " has sent nothing for " + seconds}.because(
        "an answer is owed; the link is dead or the box hangs");
}

namespace {

// Lines of the `ssh` program, most telling first. They are OpenSSH's English texts, which it does not translate.
struct Line {
    std::string_view says;
    Code ours;
    Retry retry;
    std::string_view message;  // "%" stands for the target
    std::string_view why;      // empty: the line itself
};
constexpr std::array k_lines{
    Line{"REMOTE HOST IDENTIFICATION HAS CHANGED", Code::host_key, Retry::never,
         "the host key of % is not the one pinned; nothing was sent", "ssh refused it before authentication"},
    Line{"Host key verification failed", Code::host_key, Retry::never,
         "the host key of % is not pinned; nothing was sent", "ssh refused it before authentication"},
    Line{"host key is known for", Code::host_key, Retry::never, "the host key of % is not pinned; nothing was sent",
         "ssh refused it before authentication"},
    Line{"Could not resolve hostname", Code::dns, Retry::after_wait, "the name of % could not be looked up", ""},
    Line{"Name or service not known", Code::dns, Retry::after_wait, "the name of % could not be looked up", ""},
    Line{"Connection refused", Code::refused, Retry::after_wait, "nothing listens at %: connection refused", ""},
    Line{"timed out during banner exchange", Code::no_banner, Retry::after_wait,
         "% accepts the connection but sends no SSH greeting", ""},
    Line{"Connection timed out", Code::connect_timeout, Retry::after_wait,
         "% did not answer the connection attempt in time", ""},
    Line{"Operation timed out", Code::connect_timeout, Retry::after_wait,
         "% did not answer the connection attempt in time", ""},
    Line{"No route to host", Code::connect_timeout, Retry::after_wait, "no route to %", ""},
    Line{"Network is unreachable", Code::connect_timeout, Retry::after_wait, "no route to %", ""},
    Line{"MaxStartups", Code::limits, Retry::after_wait, "% turns connections away for now", ""},
    Line{"Not allowed at this time", Code::limits, Retry::after_wait, "% turns connections away for now", ""},
    Line{"kex_exchange_identification", Code::no_banner, Retry::after_wait,
         "% closed the connection without a greeting", ""},
    Line{"banner line contains invalid", Code::no_banner, Retry::never, "% is no SSH server", ""},
    Line{"Bad remote protocol version", Code::no_banner, Retry::never, "% is no SSH server", ""},
    Line{"no matching", Code::protocol, Retry::never, "ssh and % share no algorithm", ""},
    Line{"UNPROTECTED PRIVATE KEY FILE", Code::key_permissions, Retry::never,
         "a key file for % is readable by others, so ssh ignores it", ""},
    Line{"Bad owner or permissions on", Code::key_permissions, Retry::never,
         "ssh refuses a file of yours that others may change", ""},
    Line{"invalid format", Code::key_unusable, Retry::never, "a key file for % cannot be read", ""},
    Line{"Too many authentication failures", Code::auth, Retry::never, "% refused too many keys",
         "name the right one with -i"},
    Line{"Permission denied", Code::auth, Retry::never, "% did not let us in", ""},
    Line{"open failed: administratively prohibited", Code::limits, Retry::reconnect,
         "% refuses another session on this connection", ""},
    Line{"Session open refused by peer", Code::limits, Retry::reconnect, "% refuses another session on this connection",
         ""},
    Line{"exec request failed", Code::shell_missing, Retry::never, "% does not run commands", ""},
    Line{"Bad configuration option", Code::config, Retry::never, "ssh does not understand its configuration", ""},
    Line{"not responding", Code::stalled, Retry::reconnect, "% has stopped answering", ""},
    Line{"Control master terminated unexpectedly", Code::link_lost, Retry::reconnect,
         "% ended the session without an exit status",
         "the program's end is not known: a signal ended it, or the shared connection broke"},
    Line{"Connection reset", Code::link_lost, Retry::reconnect, "the connection to % ended", ""},
    Line{"Broken pipe", Code::link_lost, Retry::reconnect, "the connection to % ended", ""},
    Line{"closed by", Code::link_lost, Retry::reconnect, "the connection to % ended", ""},
};

// The line of a text that holds `needle`.
std::string_view line_with(std::string_view text, std::string_view needle) {
    for (std::string_view line : split(text, '\n')) {
        if (line.find(needle) != std::string_view::npos) return line;
    }
    return {};
}

// What ssh tells of its own work, and says of no reason.
bool is_chatter(std::string_view line) {
    constexpr std::string_view k_chatter[] = {
        "debug1: ",           "debug2: ", "debug3: ",          "Transferred: ",
        "Bytes per second: ", "OpenSSH_", "Authenticated to ", "Authenticated using "};
    return line.empty() ||
           std::ranges::any_of(k_chatter, [line](std::string_view begin) { return line.starts_with(begin); });
}

// The last line that tells something.
std::string last_line(std::string_view text) {
    const auto lines = split(text, '\n');
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
        if (!is_chatter(trim(*line))) return first_line(*line);
    }
    return {};
}

}  // namespace

bool wants_person(std::string_view text) {
    constexpr std::string_view k_denied = "Permission denied (";
    const std::size_t at = text.find(k_denied);
    if (at == std::string_view::npos) return false;
    const std::string_view rest = text.substr(at + k_denied.size());
    const auto methods = split(rest.substr(0, rest.find(')')), ',');
    const auto has = [&](std::string_view method) { return std::ranges::find(methods, method) != methods.end(); };
    return !has("publickey") && (has("keyboard-interactive") || has("password"));
}

Error openssh_error(std::string_view err, const SshTarget& target) {
    for (const Line& line : k_lines) {
        if (err.find(line.says) == std::string_view::npos) continue;
        Error error{line.ours, line.retry, filled(line.message, target)};
        error.why = line.why.empty() ? "ssh says: " + first_line(line_with(err, line.says)) : std::string(line.why);
        if (is_for_ssh(error.code)) error.next = check_command(target);
        return error;
    }
    Error error{Code::link_lost, Retry::reconnect, "ssh ended the connection to " + target.shown()};
    const std::string said = last_line(err);
    error.why = said.empty() ? "it gave no reason" : "ssh says: " + said;
    return error;
}

}  // namespace drawhitch::transport
