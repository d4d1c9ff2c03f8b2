#include "flow/box.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/exchange/root_json.hpp"
#include "core/proto/limits.hpp"
#include "flow/endpoint_of.hpp"
#include "flow/lease_place.hpp"
#include "flow/root_mark.hpp"
#include "io/ledger/ledger.hpp"

namespace drawhitch::flow {

namespace {

// Lies in the root; holds the lease's nonce in hex and a newline.
constexpr std::string_view k_nonce_file = "lease-nonce";

// The last number a root may have: Agent numbers its own from 1 up.
constexpr proto::RootId k_early_root = proto::k_roots_max;

template <class Message>
Result<Message> answer_of(const agent::Incoming& incoming, std::string_view doing) {
    if (incoming.type == Message::k_type) return proto::decode<Message>(incoming.payload);
    TRY_ASSIGN(const auto refusal, proto::decode<proto::Refusal>(incoming.payload));
    return proto::to_error(refusal, doing);
}

model::RootFacts facts_of(const proto::RootProbed& probed, const std::string& boot_id) {
    return {.boot_id = boot_id,
            .hard_links = probed.hard_links,
            .symlinks = probed.symlinks,
            .rename_replaces = probed.rename_replaces,
            .rename_no_replace = probed.rename_no_replace,
            .sparse = probed.sparse,
            .fsync = probed.fsync,
            .stable_inodes = probed.stable_inodes,
            .case_folding = probed.case_folding,
            .normalising = probed.normalising,
            .exec = probed.exec,
            .reflink = probed.reflink,
            .exec_bit = probed.exec_bit,
            .mtime_step_ns = probed.mtime_step_ns,
            .fs_type = probed.fs_type};
}

}  // namespace

Result<Box> Box::connect(const Op& op, Deps& deps, const model::Lease& lease, const Connecting& how) {
    TRY_ASSIGN(auto transport, deps.connector.to(op, lease));
    transport->tell(how.milestones);
    agent::ConnectOptions options;
    options.known_path = lease.helper_path;
    options.data_dir = lease.root;
    options.install = !how.beside;
    options.session.throttle = deps.throttle;
    TRY_ASSIGN(auto agent, agent::Agent::connect(op, *transport, deps.helpers, options));
    Box box{deps.ledger, lease, std::move(transport), std::move(agent)};
    const proto::Hello& hello = box.agent_->hello();
    box.restarted_ = !lease.boot_id.empty() && hello.boot_id != lease.boot_id;
    // A lease that has ended stays as it was: its box is only read.
    if (lease.state != model::LeaseState::closed && !how.beside) {
        TRY(deps.ledger.record_box(
            lease.id, {.boot_id = hello.boot_id, .helper_path = box.agent_->helper_path(), .capabilities = {}}));
        TRY(deps.ledger.contact(lease.id));
    }
    box.lease_.boot_id = hello.boot_id;
    box.lease_.helper_path = box.agent_->helper_path();
    return box;
}

bool Box::expects_helper(const Deps& deps, const model::Lease& lease) {
    return std::ranges::any_of(deps.helpers.architectures(), [&](const std::string& arch) {
        return lease.helper_path.ends_with(deps.helpers.build_id(arch));
    });
}

Result<proto::RootId> Box::open_root(const Op& op, bool create) {
    TRY_ASSIGN(const bool marked, was_marked());
    auto root = agent_->open_root(op, lease_.root, create && !marked);
    if (!root && root.error().code == Code::not_found) return nothing_there();
    if (!root) return root;
    TRY(check_mark(op, *root));
    return root;
}

Result<bool> Box::was_marked() const {
    if (lease_.root_nonce.empty()) return false;
    return root_was_marked(*ledger_, lease_);
}

Error Box::nothing_there() const {
    const auto marked = was_marked();
    if (!marked) return marked.error();
    if (*marked) return refuse(RootMark::missing).error();
    return Error{Code::not_found, printable(lease_.root) + " does not exist on " + lease_.name}
        .because("nothing was pushed there yet, or its disk is gone: wiped, not mounted, or another machine's")
        .then("drawhitch doctor " + lease_.name);
}

Result<RootMark> Box::mark(const Op& op) {
    if (lease_.root_nonce.empty()) return RootMark::none;
    const auto root = agent_->open_root(op, lease_.root, false);
    if (!root && root.error().code == Code::not_found) {
        TRY_ASSIGN(const bool marked, was_marked());
        return marked ? RootMark::missing : RootMark::none;
    }
    if (!root) return root.error();
    return mark_of(agent_->read_small(op, *root, k_nonce_file));
}

std::string Box::begin_anew() const {
    const auto runs = ledger_->runs(lease_.id);
    if (!runs || !runs->empty()) return "drawhitch down " + shell_word(lease_.name);
    // In the same place, whatever the profile says today.
    const std::string place = data_dir_of(lease_);
    return adopt_again(lease_) + (place.empty() ? "" : " --data-dir " + shell_word(place));
}

Result<std::vector<agent::Incoming>> Box::ask_root(const Op& op, const Ask& ask) {
    agent::Session& session = agent_->session();
    const bool mark_first = restarted_;
    std::vector<std::uint32_t> numbers;
    if (mark_first) {
        const auto opened = agent_->open_root(op, k_early_root, lease_.root, false);
        if (!opened && opened.error().code == Code::not_found) return nothing_there();
        if (!opened) return opened.error();
        TRY(check_mark(op, k_early_root));
    } else {
        numbers = {session.submit(proto::OpenRoot{k_early_root, lease_.root, false}),
                   session.submit(proto::ReadSmall{k_early_root, std::string{k_nonce_file}})};
    }
    const std::size_t ours = numbers.size();
    for (const std::uint32_t number : ask(session, k_early_root)) {
        numbers.push_back(number);
    }
    TRY_ASSIGN(auto answers, flight(op, numbers));
    if (!mark_first) {
        const auto opened = answer_of<proto::RootOpened>(answers[0], "open the project's directory");
        if (!opened && opened.error().code == Code::not_found) return nothing_there();
        if (!opened) return opened.error();
        if (!lease_.root_nonce.empty()) {
            TRY_ASSIGN(const RootMark mark, mark_of(answer_of<proto::Small>(answers[1], "read the lease's mark")));
            TRY(refuse(mark));
        }
    }
    answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(ours));
    return answers;
}

// The answers to requests that have one each, in order.
Result<std::vector<agent::Incoming>> Box::flight(const Op& op, const std::vector<std::uint32_t>& numbers) {
    std::vector<agent::Incoming> answers;
    while (answers.size() < numbers.size()) {
        TRY_ASSIGN(agent::Incoming incoming, agent_->session().receive(op));
        if (incoming.type == proto::MessageType::progress) continue;
        // Served strictly in order, so answered in order.
        if (incoming.request != numbers[answers.size()]) {
            return Error{Code::protocol, "the helper answered out of order"};
        }
        answers.push_back(std::move(incoming));
    }
    return answers;
}

std::optional<model::RootFacts> Box::root_facts() const {
    return exchange::read_root_json(lease_.capabilities);
}

bool Box::knows_root() const {
    const auto facts = root_facts();
    return facts && facts->boot_id == lease_.boot_id;
}

// A file system on which that cannot be tried out (it is full, say) is taken for an ordinary one until it can.
Status Box::learn_root(const Op& op, const Result<proto::RootProbed>& probed) {
    if (!probed) {
        op.debug("what the root's file system can do was not found out: " + probed.error().message);
        return ok();
    }
    lease_.capabilities = exchange::root_json(facts_of(*probed, lease_.boot_id));
    return ledger_->record_box(lease_.id, {.boot_id = {}, .helper_path = {}, .capabilities = lease_.capabilities});
}

Result<agent::Claim> Box::claim_root(const Op& op, bool create, const agent::ClaimOptions& options) {
    constexpr std::string_view k_doing = "try out the file system";
    TRY_ASSIGN(const proto::RootId root, open_root(op, create));
    TRY_ASSIGN(const agent::Claim claim, agent_->claim(op, root, options));
    agent::Session& session = agent_->session();
    const bool marks = !lease_.root_nonce.empty();
    const bool known = knows_root();
    std::vector<std::uint32_t> numbers;
    if (marks) numbers.push_back(session.submit(proto::ReadSmall{root, std::string{k_nonce_file}}));
    if (!known) numbers.push_back(session.submit(proto::ProbeRoot{root, claim.epoch}));
    TRY_ASSIGN(const auto answers, flight(op, numbers));
    if (!known) TRY(learn_root(op, answer_of<proto::RootProbed>(answers.back(), k_doing)));
    if (!marks) return claim;
    const auto found = answer_of<proto::Small>(answers.front(), "read the lease's mark");
    if (found || found.error().code != Code::not_found) return claim;
    // Made anew: what was known of it was true of the one before.
    if (known) TRY(learn_root(op, agent_->probe_root(op, claim)));
    proto::WriteSmall request;
    request.path = k_nonce_file;
    request.content = lease_.root_nonce + "\n";
    request.mode = 0600;
    TRY(agent_->write_small(op, claim, std::move(request)));
    TRY(note_root_mark(*ledger_, lease_));
    return claim;
}

Status Box::check_mark(const Op& op, proto::RootId root) {
    if (lease_.root_nonce.empty()) return ok();
    TRY_ASSIGN(const RootMark mark, mark_of(agent_->read_small(op, root, k_nonce_file)));
    return refuse(mark);
}

// Once the mark was seen, its absence says something.
Result<RootMark> Box::mark_of(const Result<proto::Small>& found) {
    TRY_ASSIGN(const bool marked, was_marked());
    if (!found && found.error().code == Code::not_found) return marked ? RootMark::missing : RootMark::none;
    if (!found) return found.error();
    if (trim(found->content) != lease_.root_nonce) return RootMark::foreign;
    if (!marked) TRY(note_root_mark(*ledger_, lease_));
    return RootMark::ours;
}

Status Box::refuse(RootMark mark) const {
    switch (mark) {
        case RootMark::ours:
        case RootMark::none:
            return ok();
        case RootMark::missing:
            return Error{Code::host_key, "the project's directory on " + lease_.name +
                                             " does not carry the mark we left there; nothing was sent"}
                .because("under " + printable(lease_.root) +
                         " the disk was wiped, swapped or is not mounted, or this is another machine; if you know "
                         "that it was wiped, go on with `" +
                         begin_anew() + "`")
                .then("drawhitch doctor " + shell_word(lease_.name));
        case RootMark::foreign:
            return Error{Code::host_key, "the box that answers as " + lease_.name +
                                             " is another lease's: its mark differs; nothing was sent"}
                .because(printable(lease_.root) + " was made by another adopt")
                .then(adopt_again(lease_));
    }
    return ok();
}

}  // namespace drawhitch::flow
