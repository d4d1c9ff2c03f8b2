#include "flow/endpoint_of.hpp"

#include <pwd.h>
#include <unistd.h>

#include "base/text.hpp"
#include "io/transport/openssh.hpp"

namespace drawhitch::flow {

namespace {

// "~/x" and relative paths, as the shell would have made them.
std::string absolute(const std::string& path, const Laptop& laptop) {
    if (path.empty() || path.front() == '/') return path;
    if (path == "~") return laptop.home;
    if (path.starts_with("~/")) return laptop.home + path.substr(1);
    std::string_view rest = path;
    while (rest.starts_with("./"))
        rest.remove_prefix(2);
    return laptop.directory + "/" + std::string{rest};
}

std::string user_here() {
    const passwd* account = ::getpwuid(::geteuid());
    return account == nullptr ? std::string{} : account->pw_name;
}

// The first configured key, unless its name holds tokens that only ssh can fill in.
std::string configured_key(const parse::SshConfig& config, const Laptop& laptop) {
    if (config.identity_files.empty() || config.identity_files.front().find('%') != std::string::npos) return {};
    return absolute(config.identity_files.front(), laptop);
}

}  // namespace

Resolved decide_endpoint(const parse::SshLine& line, const parse::SshConfig& config, const model::Profile& profile,
                         std::optional<model::TransportKind> wanted, const LocalSide& here) {
    using Kind = model::TransportKind;
    Resolved resolved;
    model::Endpoint& endpoint = resolved.endpoint;
    const Kind asked = wanted.value_or(profile.ssh.transport);
    std::string reason = parse::needs_ssh_program(config);
    if (reason.empty() && profile.limits.mfa) reason = "its profile says that each login asks a person (mfa)";
    endpoint.transport = asked != Kind::automatic ? asked : reason.empty() ? Kind::ssh : Kind::openssh;
    if (asked == Kind::automatic) resolved.why_transport = reason;

    // ssh -G names the local user where nothing is configured, which is hardly ever the box's.
    const bool user_configured = !config.user.empty() && config.user != here.user;
    endpoint.user = !line.user.empty()          ? line.user
                    : user_configured           ? config.user
                    : !profile.ssh.user.empty() ? profile.ssh.user
                                                : config.user;
    if (endpoint.user.empty()) endpoint.user = here.user;
    const bool port_configured = config.port != 22;
    endpoint.port = line.port         ? *line.port
                    : port_configured ? config.port
                                      : static_cast<std::uint16_t>(profile.ssh.port);
    endpoint.identity_file =
        line.identity_file.empty() ? configured_key(config, here.laptop) : absolute(line.identity_file, here.laptop);
    const bool renamed = !config.host_name.empty() && config.host_name != line.destination;
    endpoint.host = renamed ? config.host_name : line.destination;
    // What the line says itself is lost where only the name is remembered.
    const bool overridden = !line.user.empty() || line.port || !line.identity_file.empty();
    if (endpoint.transport == Kind::openssh) {
        // The program finds host, user, port and keys by the name the user gave, unless the line says otherwise.
        endpoint.host = line.destination;
        if (!overridden) {
            endpoint.alias = line.destination;
            endpoint.identity_file.clear();
        }
    } else if (renamed && !overridden) {
        endpoint.alias = line.destination;
    }
    return resolved;
}

Result<Resolved> resolve_endpoint(const Op& op, const LeaseConnector& connector, const parse::SshLine& line,
                                  const model::Profile& profile, std::optional<model::TransportKind> wanted) {
    auto text = transport::read_ssh_config(op, transport::OpensshSetup{}, line.destination);
    if (!text && text.error().code != Code::not_found) return std::move(text).error();
    const parse::SshConfig config = text ? parse::ssh_config(*text) : parse::SshConfig{};
    return decide_endpoint(line, config, profile, wanted, {connector.laptop(), user_here()});
}

namespace {

std::string adopt_line(const model::Lease& lease, const std::string& port) {
    const model::Endpoint& endpoint = lease.endpoint;
    const std::string command = "drawhitch adopt " + shell_word(lease.name);
    if (endpoint.transport == model::TransportKind::local) return command + " local";
    if (!endpoint.alias.empty()) return command + " " + shell_word(endpoint.alias);
    std::string line = command + " ssh -p " + port;
    if (!endpoint.identity_file.empty()) line += " -i " + shell_word(endpoint.identity_file);
    return line + " " + shell_word(endpoint.user.empty() ? endpoint.host : endpoint.user + "@" + endpoint.host);
}

}  // namespace

std::string adopt_again(const model::Lease& lease) {
    return adopt_line(lease, std::to_string(lease.endpoint.port));
}

std::string adopt_elsewhere(const model::Lease& lease) {
    return lease.endpoint.transport == model::TransportKind::local ? std::string{} : adopt_line(lease, "PORT");
}

}  // namespace drawhitch::flow
