#include "io/transport/known_hosts.hpp"

#include <unistd.h>

#include "base/text.hpp"
#include "io/transport/endpoint.hpp"
#include "io/transport/key_file.hpp"
#include "io/transport/program.hpp"

namespace drawhitch::transport {

std::vector<model::HostKey> parse_known_hosts(std::string_view text) {
    std::vector<model::HostKey> keys;
    for (std::string_view line : split(text, '\n')) {
        line = trim(line);
        // "@revoked …" and "@cert-authority …" are no keys to trust a host by.
        if (line.empty() || line.front() == '#' || line.front() == '@') continue;
        const auto words = split(line, ' ');
        if (words.size() < 3) continue;
        model::HostKey key;
        key.blob = public_blob(std::string(words[1]) + " " + std::string(words[2]));
        if (key.blob.empty()) continue;
        key.type = key_type(key.blob);
        key.fingerprint = fingerprint_of(key.blob);
        key.source = "known_hosts";
        keys.push_back(std::move(key));
    }
    return keys;
}

Result<std::vector<model::HostKey>> known_host_keys(const Op& op, const std::string& home, const std::string& host,
                                                    std::uint16_t port) {
    const std::string file = home + "/.ssh/known_hosts";
    if (home.empty() || host.empty() || ::access(file.c_str(), R_OK) != 0) return std::vector<model::HostKey>{};
    const std::string name = port == 22 ? host : "[" + host + "]:" + std::to_string(port);
    auto output = run_program(op.within(milliseconds{10'000}), {"ssh-keygen", "-F", name, "-f", file});
    if (!output && output.error().code == Code::not_found) return std::vector<model::HostKey>{};
    if (!output) return std::move(output).error();
    return parse_known_hosts(output->out);
}

}  // namespace drawhitch::transport
