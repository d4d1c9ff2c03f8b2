#include "io/transport/endpoint.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/proto/digest.hpp"

namespace drawhitch::transport {

std::vector<std::string> PinnedKeys::known_types() const {
    std::vector<std::string> types;
    for (const model::HostKey& pin : pins_) {
        if (std::find(types.begin(), types.end(), pin.type) == types.end()) types.push_back(pin.type);
    }
    return types;
}

Status PinnedKeys::check(const Op&, std::string_view shown, const model::HostKey& key) {
    std::string pinned;
    for (const model::HostKey& pin : pins_) {
        if (pin.type == key.type && pin.blob == key.blob) return ok();
        pinned += (pinned.empty() ? "" : ", ") + pin.type + " " + pin.fingerprint;
    }
    Error error{Code::host_key, "the host key of " + printable(shown) + " is not the one pinned; nothing was sent"};
    error.why = "it shows " + printable(key.type) + " " + printable(key.fingerprint) + "; pinned " +
                (pins_.size() == 1 ? "is " : "are ") + (pinned.empty() ? "none" : printable(pinned));
    if (!cure_.empty()) error.why += "; compare it with your provider's console before you accept it";
    error.next = cure_;
    return error;
}

std::string fingerprint_of(std::string_view blob) {
    const proto::Digest digest = proto::sha256(blob);
    std::string text = base64(digest.view());
    while (!text.empty() && text.back() == '=')
        text.pop_back();
    return "SHA256:" + text;
}

void wipe(std::string& secret) noexcept {
    volatile char* bytes = secret.data();
    for (std::size_t i = 0; i < secret.size(); ++i)
        bytes[i] = 0;
    secret.clear();
}

OncePrompt::~OncePrompt() {
    for (auto& [what, answer] : answers_)
        wipe(answer);
}

Result<std::string> OncePrompt::ask(const Op& op, const SecretQuestion& question) {
    const std::string key = (question.kind == SecretKind::password ? "password " : "passphrase ") + question.what;
    const auto known = answers_.find(key);
    if (known != answers_.end() && question.attempt == 1) return known->second;
    if (known != answers_.end()) wipe(known->second);
    answers_.erase(key);
    TRY_ASSIGN(std::string answer, inner_.ask(op, question));
    answers_[key] = answer;
    return answer;
}

std::string SshTarget::shown_host() const {
    const bool is_v6 = host.find(':') != std::string::npos;
    return printable(is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string SshTarget::shown() const {
    return printable(user) + "@" + shown_host();
}

}  // namespace drawhitch::transport
