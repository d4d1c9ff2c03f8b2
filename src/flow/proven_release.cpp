#include "flow/proven_release.hpp"

#include "base/random.hpp"
#include "base/retry.hpp"
#include "base/text.hpp"
#include "flow/box.hpp"
#include "flow/push.hpp"
#include "flow/release_look.hpp"

namespace drawhitch::flow {

namespace {

constexpr int k_attempts = 3;

Error nothing_pushed(const model::Lease& lease) {
    return Error{Code::not_found, "nothing was pushed to " + lease.name + " yet; nothing was started"}.then(
        "drawhitch push " + shell_word(lease.name));
}

// Names what differs, where the ledger knows what was deployed.
Result<std::string> difference(const Op& op, Deps& deps, Box& box, proto::RootId root, const std::string& hash) {
    ReleasePlace place{root, hash, hash, {}, true};
    TRY_ASSIGN(place.manifest, known_manifest(deps.ledger, box.lease().id, hash));
    TRY_ASSIGN(const ReleaseLook look, look_at_release(op, box.agent(), place));
    if (!look.there) return std::string{"it is not there"};
    const std::string text = plan::describe(look.difference);
    if (!text.empty()) return text;
    return std::string{look.loses_nothing ? "caches were written into it" : "the box hashes it to another value"};
}

Result<std::string> prove_once(const Op& op, Deps& deps, const model::Lease& lease) {
    TRY_ASSIGN(Box box, Box::connect(op, deps, lease));
    const auto root = box.open_root(op, false);
    if (!root && root.error().code == Code::not_found) return nothing_pushed(lease);
    if (!root) return root.error();
    TRY_ASSIGN(const std::string hash, current_release(op, box.agent(), *root));
    if (hash.empty()) return nothing_pushed(lease);
    const std::string path = release_path(hash);
    const auto found = box.agent().tree_hash(op, {*root, path, false});
    if (found && found->digest.hex() == hash) return hash;
    if (!found && is_worth_reconnecting(found.error())) return found.error();
    TRY_ASSIGN(const std::string why, difference(op, deps, box, *root, hash));
    return Error{Code::integrity, "release " + hash.substr(0, 12) + ", in force on " + lease.name +
                                      ", is not what was pushed; nothing was started"}
        .because(why)
        .then("drawhitch push " + shell_word(lease.name));
}

}  // namespace

Result<std::string> proven_release(const Op& op, Deps& deps, const model::Lease& lease) {
    for (int attempt = 1;; ++attempt) {
        auto proven = prove_once(op, deps, lease);
        if (proven || attempt == k_attempts || !is_worth_reconnecting(proven.error())) return proven;
        op.note(proven.error().message + "; connecting again");
        op.clock.sleep(next_delay({}, attempt, std::nullopt, random_u64()), op.cancel);
        TRY(op.check());
    }
}

}  // namespace drawhitch::flow
