#include <algorithm>

#include "base/text.hpp"
#include "io/transport/ssh_auth.hpp"

namespace drawhitch::transport {

namespace {

constexpr const char* k_usual_names[] = {"id_ed25519", "id_ecdsa", "id_rsa"};

bool libssh2_can_use(std::string_view type) {
    return type == "ssh-ed25519" || type == "ssh-rsa" || type == "ecdsa-sha2-nistp256" ||
           type == "ecdsa-sha2-nistp384" || type == "ecdsa-sha2-nistp521";
}

const AgentKey* held_by_agent(const std::vector<AgentKey>& held, const std::string& blob) {
    if (blob.empty()) return nullptr;
    const auto found = std::find_if(held.begin(), held.end(), [&](const AgentKey& key) { return key.blob == blob; });
    return found == held.end() ? nullptr : &*found;
}

std::string named(std::string_view what, std::string_view type) {
    std::string text = printable(what);
    if (!type.empty()) text += " (" + printable(type) + ")";
    return text;
}

Error cannot_ask(const KeyFile& key) {
    return Error{Code::key_unusable,
                 "the key file " + printable(key.path) + " needs its passphrase, and there is no terminal to ask on"}
        .because("no ssh-agent holds this key either")
        .then("ssh-add " + shell_quote(key.path));
}

}  // namespace

Result<Keyring> Keyring::gather(const Op& op, const SshTarget& target, bool can_ask) {
    Keyring ring;
    std::vector<AgentKey> held;
    if (!target.agent_socket.empty()) {
        auto agent = KeyAgent::connect(op, target.agent_socket);
        auto listed = agent ? agent->list(op) : Result<std::vector<AgentKey>>(agent.error());
        if (listed) {
            ring.agent = std::move(*agent);
            held = std::move(*listed);
        } else if (!op.check()) {
            return std::move(listed).error();
        } else {
            ring.passed_over.push_back(listed.error().message);
        }
    }
    if (target.identity_files.empty()) {
        ring.add_usual(target, held);
    } else {
        TRY(ring.add_given(op, target, held, can_ask));
    }
    return ring;
}

Status Keyring::add_given(const Op&, const SshTarget& target, const std::vector<AgentKey>& held, bool can_ask) {
    for (const std::string& path : target.identity_files) {
        auto file = load_key_file(path);
        if (!file) {
            // Only the public half may lie here, with the private one in the agent.
            const auto half = load_public_half(path);
            const AgentKey* key = half ? held_by_agent(held, *half) : nullptr;
            if (key == nullptr) return std::move(file).error();
            candidates.push_back(Candidate{named(path + ", held by the agent", key_type(key->blob)), key->blob, {}});
            continue;
        }
        const std::string shown = named(path, file->type);
        if (held_by_agent(held, file->public_blob) != nullptr) {
            candidates.push_back(Candidate{shown + ", held by the agent", file->public_blob, {}});
            continue;
        }
        if (file->encrypted && !can_ask) return cannot_ask(*file);
        std::string blob = file->public_blob;
        candidates.push_back(Candidate{shown, std::move(blob), std::move(*file)});
    }
    return ok();
}

void Keyring::add_usual(const SshTarget& target, const std::vector<AgentKey>& held) {
    for (const AgentKey& key : held) {
        const std::string type = key_type(key.blob);
        const std::string shown = named("agent key " + key.comment, type);
        if (!libssh2_can_use(type)) {
            passed_over.push_back(shown + ": only the ssh program can use it");
        } else if (candidates.size() >= k_most_agent_keys) {
            passed_over.push_back(shown + ": not tried, a server allows only a few; name a key with -i");
        } else {
            candidates.push_back(Candidate{shown, key.blob, {}});
        }
    }
    for (const char* name : k_usual_names) {
        if (target.home.empty()) return;
        const std::string path = target.home + "/.ssh/" + name;
        auto file = load_key_file(path);
        if (!file && file.error().message.ends_with("does not exist")) continue;
        if (!file) {
            passed_over.push_back(file.error().message);
            if (file.error().code == Code::key_permissions && !open_to_others) open_to_others = file.error();
            continue;
        }
        if (held_by_agent(held, file->public_blob) != nullptr) continue;
        std::string blob = file->public_blob;
        candidates.push_back(Candidate{named(path, file->type), std::move(blob), std::move(*file)});
    }
}

}  // namespace drawhitch::transport
