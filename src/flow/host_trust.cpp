#include "flow/host_trust.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_any = "any";

const model::HostKey* same_key(const std::vector<model::HostKey>& keys, const model::HostKey& key) {
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const model::HostKey& known) {
        return known.type == key.type && known.blob == key.blob;
    });
    return found == keys.end() ? nullptr : &*found;
}

const model::HostKey* same_type(const std::vector<model::HostKey>& keys, const std::string& type) {
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const model::HostKey& known) { return known.type == type; });
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string> FirstUse::known_types() const {
    std::vector<std::string> types;
    for (const std::vector<model::HostKey>* keys : {&trust_.pins, &trust_.known}) {
        for (const model::HostKey& key : *keys) {
            if (std::find(types.begin(), types.end(), key.type) == types.end()) types.push_back(key.type);
        }
    }
    return types;
}

Status FirstUse::accept(const Op& op, const model::HostKey& key, const std::string& source) {
    accepted_ = key;
    accepted_->source = source;
    op.note("host key " + printable(key.type) + " " + printable(key.fingerprint) + " (" + source + ")");
    return ok();
}

Status FirstUse::check(const Op& op, std::string_view shown, const model::HostKey& key) {
    if (const model::HostKey* pin = same_key(trust_.pins, key)) {
        accepted_ = *pin;
        return ok();
    }
    if (accepted_ && accepted_->type == key.type && accepted_->blob == key.blob) return ok();
    is_new_ = true;
    const model::HostKey* other = contradicting(key);
    if (trust_.accept == key.fingerprint) return accept(op, key, "flag");
    if (trust_.accept == k_any) {
        // The word stands for a first meeting. A key that replaces another one has to be named.
        return other == nullptr ? accept(op, key, "flag") : Status{replaces(shown, key, *other)};
    }
    if (!trust_.accept.empty()) {
        return Error{Code::host_key, printable(shown) + " shows another host key than the one given; nothing was sent"}
            .because("it shows " + printable(key.type) + " " + printable(key.fingerprint) + ", given was " +
                     printable(trust_.accept) + "\ncompare it with the one that your provider's console shows")
            .then(trust_.retry);
    }
    // A key that a pinned box did not have before is for the user to judge, whatever other files say.
    if (trust_.pins.empty() && same_key(trust_.known, key) != nullptr) return accept(op, key, "known_hosts");
    return ask(op, shown, key);
}

const model::HostKey* FirstUse::contradicting(const model::HostKey& key) const {
    if (!trust_.pins.empty()) return &trust_.pins.front();
    if (trust_.known.empty() || same_key(trust_.known, key) != nullptr) return nullptr;
    const model::HostKey* alike = same_type(trust_.known, key.type);
    return alike != nullptr ? alike : &trust_.known.front();
}

Error FirstUse::replaces(std::string_view shown, const model::HostKey& key, const model::HostKey& other) const {
    const bool pinned = !trust_.pins.empty();
    Error error{Code::host_key, "the host key of " + printable(shown) + " is not the one " +
                                    (pinned ? "pinned" : "in your known_hosts") + "; nothing was sent"};
    error.why = "it shows " + printable(key.type) + " " + printable(key.fingerprint) + "; " +
                (pinned ? "pinned" : "known_hosts") + " has " + printable(other.type) + " " +
                printable(other.fingerprint) + ", and \"any\" replaces no key" +
                "\ncompare it with the one that your provider's console shows before you type the next line";
    error.next = trust_.retry + " --accept-host-key " + printable(key.fingerprint);
    return error;
}

Status FirstUse::ask(const Op& op, std::string_view shown, const model::HostKey& key) {
    const std::string fingerprint = printable(key.fingerprint);
    std::string question =
        printable(shown) + " shows the host key\n  " + printable(key.type) + " " + fingerprint + "\n";
    const model::HostKey* other = contradicting(key);
    const std::string place = trust_.pins.empty() ? "known_hosts has " : "pinned is ";
    if (other != nullptr && !trust_.pins.empty()) {
        question += "This is NOT the key pinned for this box (" + printable(other->fingerprint) +
                    "). It is right only if the box was rebuilt.\n";
    } else if (other != nullptr) {
        question += "Your known_hosts has ANOTHER key for this host (" + printable(other->fingerprint) + ").\n";
    }
    question += "Compare it with the one your provider's console shows. Type yes if it is the same:";
    const std::string instead = trust_.retry + " --accept-host-key " + fingerprint;
    auto answer = prompt_.typed(op, question, "yes", instead);
    if (answer && *answer) return accept(op, key, "asked");
    if (!answer && answer.error().code != Code::usage) return std::move(answer).error();
    Error error{Code::host_key, "the host key of " + printable(shown) + " was not accepted; nothing was sent"};
    error.why = "it shows " + printable(key.type) + " " + fingerprint;
    if (other != nullptr) error.why += ", " + place + printable(other->type) + " " + printable(other->fingerprint);
    error.why += answer ? ", and you did not say yes" : ", and nobody can be asked here";
    error.why += "\ncompare it with the one that your provider's console shows before you type the next line";
    error.next = instead;
    return error;
}

}  // namespace drawhitch::flow
