#include "flow/box.hpp"

#include "base/text.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// Lies in the root; holds the lease's nonce in hex and a newline.
constexpr std::string_view k_nonce_file = "lease-nonce";

}  // namespace

Result<Box> Box::connect(const Op& op, Deps& deps, const model::Lease& lease) {
    TRY_ASSIGN(auto transport, deps.connector.to(op, lease));
    agent::ConnectOptions options;
    options.known_path = lease.helper_path;
    options.data_dir = lease.root;
    TRY_ASSIGN(auto agent, agent::Agent::connect(op, *transport, deps.helpers, options));
    Box box{lease, std::move(transport), std::move(agent)};
    const proto::Hello& hello = box.agent_->hello();
    box.restarted_ = !lease.boot_id.empty() && hello.boot_id != lease.boot_id;
    TRY(deps.ledger.record_box(
        lease.id, {.boot_id = hello.boot_id, .helper_path = box.agent_->helper_path(), .capabilities = {}}));
    TRY(deps.ledger.contact(lease.id));
    box.lease_.boot_id = hello.boot_id;
    box.lease_.helper_path = box.agent_->helper_path();
    return box;
}

Result<proto::RootId> Box::open_root(const Op& op, bool create) {
    auto root = agent_->open_root(op, lease_.root, create);
    if (!root && root.error().code == Code::not_found) {
        return Error{Code::not_found, "nothing was pushed to " + lease_.name + " yet: " + printable(lease_.root) +
                                          " does not exist there"}
            .then("drawhitch push " + lease_.name);
    }
    if (!root) return root;
    TRY(check_nonce(op, *root, create));
    return root;
}

Result<agent::Claim> Box::claim_root(const Op& op, bool create, const agent::ClaimOptions& options) {
    TRY_ASSIGN(const proto::RootId root, open_root(op, create));
    TRY_ASSIGN(const agent::Claim claim, agent_->claim(op, root, options));
    if (lease_.root_nonce.empty()) return claim;
    const auto found = agent_->read_small(op, root, k_nonce_file);
    if (found || found.error().code != Code::not_found) return claim;
    proto::WriteSmall request;
    request.path = k_nonce_file;
    request.content = lease_.root_nonce + "\n";
    request.mode = 0600;
    TRY(agent_->write_small(op, claim, std::move(request)));
    return claim;
}

Status Box::check_nonce(const Op& op, proto::RootId root, bool create) {
    if (lease_.root_nonce.empty()) return ok();
    const auto found = agent_->read_small(op, root, k_nonce_file);
    if (!found && found.error().code == Code::not_found) {
        // A root that nobody wrote to yet has none; after a restart its absence means that this is not the disk we
        // know.
        if (create || !restarted_) return ok();
        return Error{Code::host_key,
                     "the box that answers as " + lease_.name + " restarted and its disk does not carry our mark"}
            .because("the lease's nonce is missing under " + printable(lease_.root) +
                     ": the disk was wiped, or it is another machine; nothing was sent")
            .then("drawhitch doctor " + lease_.name);
    }
    if (!found) return found.error();
    if (trim(found->content) == lease_.root_nonce) return ok();
    return Error{Code::host_key,
                 "the box that answers as " + lease_.name + " is another lease's: its mark differs; nothing was sent"}
        .because(printable(lease_.root) + " was made by another adopt")
        .then("drawhitch adopt " + lease_.name + " ssh …");
}

}  // namespace drawhitch::flow
