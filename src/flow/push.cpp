#include "flow/push.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/random.hpp"
#include "base/retry.hpp"
#include "base/text.hpp"
#include "core/plan/push.hpp"
#include "flow/bandwidth.hpp"
#include "flow/box.hpp"
#include "flow/name_check.hpp"
#include "flow/release.hpp"
#include "flow/release_look.hpp"
#include "flow/release_prune.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"
#include "io/term/json.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::flow {

namespace {

constexpr int k_most_pushes = 3;                              // of the project, while it is pushed
constexpr int k_most_first_looks = 3;                         // at a box whose connections break off
constexpr std::size_t k_owner_bytes = 16;                     // as the helper wants it
constexpr std::string_view k_unfinished = "push.unfinished";  // a note of the lease: the hash being put in force
constexpr std::string_view k_push_event = "push";
constexpr std::string_view k_fixes = "push.fix_eol";  // a note of the lease: "yes" where its last push repaired scripts

// All pushes of a lease from this ledger claim the root as one owner, and take turns here. So what a push left behind
// on the box, whose path died and whose helper waits for it, is fenced by the next one at once.
Result<std::string> push_owner(ledger::Ledger& ledger, std::int64_t lease) {
    constexpr const char* k_key = "push.owner";
    TRY_ASSIGN(const auto known, ledger.note(lease, k_key));
    if (known && unhex(*known).size() == k_owner_bytes) return unhex(*known);
    const std::string owner = random_bytes(k_owner_bytes);
    TRY(ledger.set_note(lease, k_key, hex(owner)));
    return owner;
}

class Push {
  public:
    Push(const Op& op, Deps& deps, const PushOptions& options, TreeSource source)
        : op_(op), deps_(deps), options_(options), source_(std::move(source)) {}

    Result<PushReport> run() {
        TRY_ASSIGN(lease_, deps_.ledger.lease_by_name(options_.box));
        TRY(plan::check_box_root(lease_.root, {}));
        TRY(choose_fixes());
        TRY(collect());
        TRY(guard_size());
        if (deps_.dry_run) {
            report_.planned = true;
            return std::move(report_);
        }
        TRY_ASSIGN(const auto turn, ledger::FileLock::push(op_, deps_.ledger.state_dir(), lease_.id, "drawhitch push"));
        TRY(deploy());
        TRY(deps_.ledger.set_note(lease_.id, std::string{k_fixes}, fixes_ ? "yes" : ""));
        report_.directory = lease_.root + "/" + release_path(report_.hash);
        return std::move(report_);
    }

  private:
    // Whoever pushes on the way to something else must not undo what the last push was asked to repair.
    Status choose_fixes() {
        fixes_ = options_.fix_eol || deps_.project.values.push.fix_eol;
        if (fixes_ || !options_.as_before) return ok();
        TRY_ASSIGN(const auto last, deps_.ledger.note(lease_.id, k_fixes));
        fixes_ = report_.fixed_as_before = last == "yes";
        return ok();
    }

    Status collect() {
        Activity reading{op_.events, "read the project", EventUnit::none};
        const model::Project& project = deps_.project.values;
        TreeRules rules{project.push, fixes_, project.pull.dir};
        TRY_ASSIGN(report_.tree, collect_tree(op_, source_, rules));
        report_.hash = report_.tree.hash.hex();
        return ok();
    }

    Status guard_size() {
        const model::PushRules& rules = deps_.project.values.push;
        const std::uint64_t most = options_.max_size.value_or(rules.max_total_bytes);
        const std::uint64_t most_each = options_.max_size.value_or(rules.max_file_bytes);
        const auto biggest = std::max_element(
            report_.tree.entries.begin(), report_.tree.entries.end(),
            [](const proto::FileEntry& a, const proto::FileEntry& b) { return size_of(a) < size_of(b); });
        const std::uint64_t top = biggest == report_.tree.entries.end() ? 0 : size_of(*biggest);
        if (deps_.dry_run || (report_.tree.bytes <= most && top <= most_each)) return ok();
        const std::string question = "this pushes " + human_bytes(report_.tree.bytes) + " in " +
                                     counted(report_.tree.files, "file") + ", the largest " + printable(biggest->path) +
                                     " with " + human_bytes(top) + "; go on?";
        TRY_ASSIGN(const bool agreed, deps_.prompt.yes_no(op_, question,
                                                          "drawhitch push " + lease_.name + " --max-size " +
                                                              std::to_string(report_.tree.bytes)));
        if (agreed) return ok();
        return Error{Code::usage, "the push is larger than wanted; nothing was sent"}
            .because("what is no code belongs into .drawhitchignore; the dry run shows what would go")
            .then("drawhitch push " + lease_.name + " -n");
    }

    static std::uint64_t size_of(const proto::FileEntry& entry) {
        return entry.type == proto::FileType::file ? entry.size : 0;
    }

    // Every attempt is safe to repeat: what the last one staged is found again. How often, is counted as for any
    // transfer: anew whenever contents arrived.
    Status deploy() {
        TRY_ASSIGN(owner_, push_owner(deps_.ledger, lease_.id));
        const RetryPolicy policy = Persistence{}.policy;
        int changes = 0;
        for (int attempt = 1;; ++attempt) {
            const std::uint64_t sent = report_.sent_bytes;
            Status done = attempt_once();
            if (done) return ok();
            if (done.error().code == Code::changed && ++changes < k_most_pushes) {
                op_.note(done.error().message + "; reading the project again");
                TRY(collect());
                continue;
            }
            if (report_.sent_bytes != sent) attempt = 1;
            if (!may_try_again(done.error(), attempt) || attempt >= policy.max_attempts) return done;
            const milliseconds wait = next_delay(policy, attempt, std::nullopt, random_u64());
            op_.note(done.error().message + "; connecting again in " +
                     human_duration(std::chrono::ceil<std::chrono::seconds>(wait)));
            op_.clock.sleep(wait, op_.cancel);
            TRY(op_.check());
        }
    }

    // A first connection that falls silent before it answered anything is not tried again: its error says what is
    // wrong. One that breaks off is, twice.
    [[nodiscard]] bool may_try_again(const Error& error, int attempt) const {
        const bool begun = linked_ || (connected_ && error.code == Code::link_lost && attempt < k_most_first_looks);
        return begun && !gave_up_ && is_worth_reconnecting(error);
    }

    Status attempt_once() {
        TRY_ASSIGN(Box connected, Box::connect(op_, deps_, lease_));
        connected_ = true;
        auto box = std::make_shared<Box>(std::move(connected));
        lease_ = box->lease();
        TRY(plan::check_box_root(lease_.root, box->agent().hello().home));
        std::string current;
        const auto there = is_in_place(*box, current);
        if (!there && there.error().code != Code::not_found) return there.error();
        linked_ = true;
        if (!there) return change(std::move(box), false, current);
        // One that was killed behind the switch has neither told the ledger of its release nor pruned.
        TRY_ASSIGN(const auto unfinished, deps_.ledger.note(lease_.id, k_unfinished));
        const bool settled = !unfinished || unfinished->empty();
        if (*there && current == report_.hash && settled) {
            report_.up_to_date = true;
            TRY(remember_manifest(deps_.ledger, lease_.id, report_.hash, report_.tree.entries));
            add(report_.wire, box->agent().session().traffic());
            return ok();
        }
        return change(std::move(box), *there, current);
    }

    // One round trip: what is current, and whether the release of our hash is there and is what its name says.
    // Code::not_found when nothing was ever pushed there.
    Result<bool> is_in_place(Box& box, std::string& current) {
        TRY_ASSIGN(const auto answers, box.ask_root(op_, [this](agent::Session& session, proto::RootId root) {
            const std::uint32_t first = session.submit(proto::ReadSmall{root, std::string{k_current}});
            return std::vector<std::uint32_t>{
                first, session.submit(proto::TreeHash{root, release_path(report_.hash), options_.rehash})};
        }));
        if (answers[0].type == proto::MessageType::small) {
            TRY_ASSIGN(const auto small, proto::decode<proto::Small>(answers[0].payload));
            const std::string hash{trim(small.content)};
            if (proto::Digest::from_hex(hash)) current = hash;
        }
        if (answers[1].type != proto::MessageType::tree_hashed) return false;
        TRY_ASSIGN(const auto found, proto::decode<proto::TreeHashed>(answers[1].payload));
        return found.digest == report_.tree.hash;
    }

    Status change(std::shared_ptr<Box> box, bool there, const std::string& current) {
        fence_.emplace(wish());
        TRY_ASSIGN(Link link, claim(op_, box));
        facts_ = box->root_facts();
        lease_.capabilities = box->lease().capabilities;
        box.reset();
        TRY(remember_manifest(deps_.ledger, lease_.id, report_.hash, report_.tree.entries));
        TRY(deps_.ledger.set_note(lease_.id, std::string{k_unfinished}, report_.hash));
        if (there) {
            TRY(make_current(op_, link, report_.tree.hash));
        } else {
            const Dial dial = [this](const Op& op) -> Result<Link> {
                TRY_ASSIGN(Box connected, Box::connect(op, deps_, lease_));
                return claim(op, std::make_shared<Box>(std::move(connected)));
            };
            TRY(check_names_there());
            TRY(remember_staged(deps_.ledger, lease_.id, report_.hash));
            const ReleaseBuilder::Connections connections{dial, *fence_, most_connections(deps_, lease_)};
            ReleaseBuilder builder{op_, report_.tree, source_, connections, !facts_ || facts_->hard_links};
            const Status built = builder.build(link, current, report_);
            gave_up_ = builder.gave_up();
            TRY(built);
        }
        TRY(record());
        TRY(prune(link));
        add(report_.wire, link.agent->session().traffic());
        return ok();
    }

    // Two names that the box takes for one would overwrite each other there.
    [[nodiscard]] Status check_names_there() const {
        if (!facts_ || !(facts_->case_folding || facts_->normalising)) return ok();
        std::vector<std::string> paths;
        for (const proto::FileEntry& entry : report_.tree.entries)
            paths.push_back(entry.path);
        Status checked = check_names(paths, {facts_->case_folding, facts_->normalising}, lease_.root);
        if (checked) return ok();
        Error error = std::move(checked).error();
        return std::move(error).then("drawhitch push " + shell_word(lease_.name) + " -n");
    }

    [[nodiscard]] agent::ClaimOptions wish() const {
        return {owner_, 0, false, "push of " + report_.hash.substr(0, 12)};
    }

    // Called by the engine's threads, too.
    Result<Link> claim(const Op& op, std::shared_ptr<Box> box) {
        auto claimed =
            fence_->claim(op, [&](const agent::ClaimOptions& asked) { return box->claim_root(op, true, asked); });
        if (!claimed) return claim_error(std::move(claimed).error());
        const agent::Claim claim = *claimed;
        agent::Agent& agent = box->agent();
        return Link{std::move(box), &agent, claim.root, claim};
    }

    // Whoever has it is no push of ours: those are fenced.
    [[nodiscard]] Error claim_error(Error error) const {
        if (error.code != Code::locked || !error.next.empty()) return error;
        if (!error.why.empty()) error.why += "; ";
        error.why += "another laptop has it, and one that went away loses it after 30 s of silence";
        error.next = "drawhitch push " + shell_word(lease_.name);
        return error;
    }

    Status record() {
        term::Json detail = term::Json::object();
        detail.set("hash", report_.hash)
            .set("files", report_.tree.files)
            .set("bytes", report_.tree.bytes)
            .set("sent_bytes", report_.sent_bytes);
        TRY(deps_.ledger.set_note(lease_.id, release_note(report_.hash), "pushed"));
        return deps_.ledger.append_event(lease_.id, std::nullopt, std::string{k_push_event}, detail.dump());
    }

    // Housekeeping: what fails on the box is no failure of the push, and is tried again by the next one.
    Status prune(Link& link) {
        const Status done = prune_releases(op_, deps_.ledger, lease_, link, report_);
        if (done) return deps_.ledger.set_note(lease_.id, std::string{k_unfinished}, "");
        op_.debug("old releases stay for now: " + done.error().message);
        return ok();
    }

    const Op& op_;
    Deps& deps_;
    const PushOptions& options_;
    TreeSource source_;
    std::string owner_{};
    std::optional<Fence> fence_{};  // of one attempt
    model::Lease lease_{};
    PushReport report_{};
    std::optional<model::RootFacts> facts_{};
    bool fixes_{false};      // of scripts, in what is pushed
    bool connected_{false};  // once, and the helper spoke
    bool linked_{false};     // and the box told what lies under the root
    bool gave_up_{false};    // the engine did
};

}  // namespace

std::string release_path(std::string_view name) {
    return std::string{k_releases}.append("/").append(name);
}

Result<PushReport> push(const Op& op, Deps& deps, const PushOptions& options) {
    TRY_ASSIGN(disk::Root root, disk::Root::open(deps.project.directory));
    return Push{op, deps, options, TreeSource{std::move(root)}}.run();
}

Result<std::string> current_release(const Op& op, agent::Agent& agent, proto::RootId root) {
    const auto found = agent.read_small(op, root, k_current);
    if (!found && found.error().code == Code::not_found) return std::string{};
    if (!found) return found.error();
    const std::string hash{trim(found->content)};
    return proto::Digest::from_hex(hash) ? hash : std::string{};
}

}  // namespace drawhitch::flow
