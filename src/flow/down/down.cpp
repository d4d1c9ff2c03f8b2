#include "flow/down/down.hpp"

#include <algorithm>
#include <optional>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/judge/box_path.hpp"
#include "core/plan/gate_text.hpp"
#include "flow/down/collect.hpp"
#include "flow/down/named_before.hpp"
#include "flow/down/secrets.hpp"
#include "flow/down/write_report.hpp"
#include "flow/endpoint_of.hpp"
#include "flow/overview.hpp"
#include "flow/run/stop.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"
#include "io/term/prompt.hpp"

namespace drawhitch::flow {

namespace {

constexpr std::string_view k_terminate = "terminate";  // the verb of the intent

Result<judge::Waivers> waivers_of(const DownOptions& options) {
    judge::Waivers waivers{{}, options.kill_runs, options.accept};
    for (const std::string& word : options.lose) {
        const std::string path = judge::clean_box_path(word);
        if (path.empty() || path == "/") {
            return Error{Code::usage,
                         "--lose takes an absolute path on the box, and never all of it: " + printable(word)};
        }
        waivers.lose.push_back(path);
    }
    return waivers;
}

// One teardown from the first look to the report.
class Teardown {
  public:
    Teardown(const Op& op, Deps& deps, const model::Lease& lease, const DownOptions& options)
        : op_(op), deps_(deps), options_(options) {
        report_.lease = lease;
    }

    Result<DownReport> go();

  private:
    [[nodiscard]] const model::Lease& lease() const { return report_.lease; }
    Status lock();
    Status load();
    Status look();
    void show() const;
    Status confirm();
    Status confirm_again();
    [[nodiscard]] bool has_to_kill() const;
    [[nodiscard]] bool is_stale() const;
    Status kill_runs();
    Result<std::int64_t> intend();
    Status end();
    Status note(const std::string& kind);
    Status remember_told();
    [[nodiscard]] std::string same_command() const;
    [[nodiscard]] std::string undeclared_words() const;
    [[nodiscard]] bool nothing_was_rented() const;
    Result<DownReport> still_unconfirmed();

    const Op& op_;
    Deps& deps_;
    const DownOptions& options_;
    judge::Waivers waivers_{};
    model::Profile profile_{};
    Collected collected_{};
    std::vector<std::string> killed_{};
    std::optional<ledger::FileLock> lock_{};
    DownReport report_{};
};

Status Teardown::lock() {
    lock_.reset();
    TRY_ASSIGN(auto lock,
               ledger::FileLock::lease(op_, deps_.ledger.state_dir(), lease().id, "drawhitch down " + lease().name));
    lock_.emplace(std::move(lock));
    return ok();
}

// The profile as it was when the lease began: teardown works without the file.
Status Teardown::load() {
    TRY_ASSIGN(waivers_, waivers_of(options_));
    auto loaded = config::load_profile(lease().profile_toml, lease().profile + ".toml", "");
    if (!loaded.ok()) {
        return Error{Code::config, "the profile kept with " + printable(lease().name) + " cannot be read"}
            .because("what ends with the box and what survives is not known")
            .then(adopt_again(lease()) + " --profile generic-ssh");
    }
    profile_ = std::move(loaded.value);
    const auto* verb = model::find_verb(profile_, model::Verb::terminate);
    if (verb == nullptr) return Error{Code::config, "the profile of " + lease().name + " does not say how it ends"};
    report_.by_hand = verb->manual.empty() ? "End the rental where you booked it." : verb->manual;
    return ok();
}

Status Teardown::look() {
    TRY_ASSIGN(collected_, collect(op_, deps_, lease(), profile_, waivers_));
    for (judge::GateRun& run : collected_.facts.runs)
        run.killed = run.lease.empty() && std::ranges::find(killed_, run.name) != killed_.end();
    report_.gate = judge::judge_gate(collected_.facts);
    return ok();
}

void Teardown::show() const {
    if (options_.show) options_.show({lease(), report_.gate});
}

Status Teardown::remember_told() {
    return remember_named(deps_.ledger, lease().id, plan::told_names(report_.gate));
}

Status Teardown::note(const std::string& kind) {
    TRY(note_undeclared(deps_.ledger, lease().id, undeclared_words()));
    TRY(remember_told());
    std::vector<std::string> ids{};
    for (const judge::Reason& reason : report_.gate.reasons)
        ids.push_back("\"" + reason.id + "\"");
    return deps_.ledger.append_event(
        lease().id, std::nullopt, kind,
        std::string{"{\"open\":"} + (report_.gate.open ? "true" : "false") + ",\"reasons\":[" + join(ids, ",") + "]}");
}

// Of files that no run's record tells of, for whoever closes the lease later without a look at the box.
std::string Teardown::undeclared_words() const {
    constexpr std::size_t k_most = 5;
    std::vector<std::string> words{};
    std::size_t count = 0;
    for (const judge::Reason& reason : report_.gate.reasons) {
        const bool loose =
            reason.id == "undeclared" || reason.id.starts_with("unknown-run") || reason.id == "unreadable";
        if (loose && ++count <= k_most) words.push_back(reason.text);
    }
    if (words.empty()) return {};
    if (count > k_most) words.push_back("and " + std::to_string(count - k_most) + " more places");
    return rfc3339(collected_.looked_at) + ": " + join(words, "; ");
}

bool Teardown::nothing_was_rented() const {
    const auto* verb = model::find_verb(profile_, model::Verb::terminate);
    return verb != nullptr && verb->stops.empty() && verb->destroys.empty();
}

// This command with everything it named, for the next line to type.
std::string Teardown::same_command() const {
    std::string text = "drawhitch down " + shell_word(lease().name);
    const auto add = [&text](const char* flag, const std::vector<std::string>& words) {
        for (const std::string& word : words)
            text.append(" ").append(flag).append(" ").append(shell_word(word));
    };
    add("--lose", options_.lose);
    add("--kill-run", options_.kill_runs);
    add("--accept", options_.accept);
    return text;
}

Status Teardown::confirm() {
    const std::string& name = lease().name;
    const std::string again = same_command();
    const Error no = Error{Code::gate_closed, "nothing was changed: you did not confirm"}.then(again);
    if (report_.gate.confirmation == judge::Confirmation::yes_no) {
        TRY_ASSIGN(const bool yes, deps_.prompt.yes_no(op_, "End " + printable(name) + "?", again + " --yes"));
        return yes ? ok() : Status{no};
    }
    if (!options_.confirm.empty()) {
        if (options_.confirm == name) return ok();
        return Error{Code::usage, "--confirm names another box than " + printable(name) + ": nothing was changed"};
    }
    TRY_ASSIGN(const bool typed, deps_.prompt.typed(op_, "Something unproven dies. Type the name of the box to go on:",
                                                    name, again + " --confirm " + shell_word(name)));
    return typed ? ok() : Status{no};
}

// Something unproven came to lie there since the answer, which said that all is proven.
Status Teardown::confirm_again() {
    if (options_.confirm.empty() && !deps_.prompt.possible()) {
        return Error{Code::gate_closed,
                     "what dies on " + printable(lease().name) + " changed since you confirmed: nothing was changed"}
            .because("something unproven dies now, and there is nobody to ask")
            .then(same_command() + " --confirm " + shell_word(lease().name));
    }
    op_.note("what dies changed since you confirmed");
    return confirm();
}

bool Teardown::has_to_kill() const {
    return std::ranges::any_of(collected_.facts.runs, [this](const judge::GateRun& run) {
        return run.lease.empty() && !model::is_terminal(run.verdict.kind) &&
               std::ranges::find(waivers_.kill_runs, run.name) != waivers_.kill_runs.end();
    });
}

bool Teardown::is_stale() const {
    const auto waited = std::chrono::seconds{op_.clock.wall().seconds - collected_.looked_at.seconds};
    return waited > judge::k_gate_facts_fresh;
}

// The named live runs, each by the ordinary way of stopping. What they wrote last is judged afterwards.
Status Teardown::kill_runs() {
    lock_.reset();  // stopping a run takes the same lock
    for (const judge::GateRun& run : collected_.facts.runs) {
        const bool named = std::ranges::find(waivers_.kill_runs, run.name) != waivers_.kill_runs.end();
        if (!named || !run.lease.empty() || model::is_terminal(run.verdict.kind)) continue;
        op_.note("stopping run " + printable(run.name));
        TRY_ASSIGN(const StopReport stopped, stop_run(op_, deps_, lease(), {.run = run.name}));
        (void)stopped;  // the next look tells how it ended
        killed_.push_back(run.name);
    }
    return lock();
}

// The intent of a teardown that was killed is gone on with: one stays open until its outcome is known.
Result<std::int64_t> Teardown::intend() {
    TRY_ASSIGN(const auto open, deps_.ledger.open_intents());
    for (const ledger::Intent& intent : open)
        if (intent.lease == lease().id && intent.verb == k_terminate) return intent.id;
    return deps_.ledger.intend({0,
                                lease().id,
                                "down-" + std::to_string(lease().id) + "-" + random_hex(4),
                                std::string{k_terminate},
                                {},
                                {},
                                {},
                                {},
                                {}});
}

// Nothing here can end the box itself: the profile has no API verb. So the lease stays open, and counts on.
Status Teardown::end() {
    TRY_ASSIGN(const std::int64_t number, intend());
    TRY_ASSIGN(const RemovedSecrets secrets, remove_secrets(op_, deps_, lease()));
    report_.removed = secrets.removed;
    report_.kept = secrets.kept;
    if (nothing_was_rented()) {
        report_.state = EndState::ended;
        report_.proof = {"nothing was rented: the machine is yours"};
        report_.by_hand.clear();
        TRY(deps_.ledger.close_lease(lease().id, "nothing was rented"));
    } else {
        report_.state = EndState::unconfirmed;
        report_.proof = {"this platform has no API that drawhitch could ask: nobody has seen the box end"};
        TRY(deps_.ledger.set_state(lease().id, model::LeaseState::unconfirmed,
                                   "to be ended by hand; the gate was open"));
    }
    for (const judge::EarlierRun& run : collected_.facts.earlier)
        TRY(give_up(deps_.ledger, run.lease, run.name));
    TRY(deps_.ledger.settle(number, "done", std::string{name_of(report_.state)}));
    TRY_ASSIGN(report_.lease, deps_.ledger.lease(lease().id));
    TRY(note("down.done"));
    auto written = write_report(op_, deps_, profile_, report_);
    if (!written) op_.warn("the report could not be written: " + written.error().message);
    if (written) report_.report_file = *written;
    return ok();
}

// The gate was open before, and now the box does not answer: that is what is expected of a box that ended, and no
// proof.
Result<DownReport> Teardown::still_unconfirmed() {
    report_.state = EndState::unconfirmed;
    report_.proof = {"the gate was open when the end was asked for; since then nobody has seen the box end",
                     "it does not answer now, which proves nothing"};
    return std::move(report_);
}

Result<DownReport> Teardown::go() {
    TRY(lock());
    TRY(load());
    TRY(look());
    const bool silent = collected_.facts.identity == judge::Identity::unreachable;
    if (silent && lease().state == model::LeaseState::unconfirmed && !deps_.dry_run) return still_unconfirmed();
    show();
    if (!report_.gate.open) {
        // Who types these names later names what was at stake, also where only a dry run told them.
        if (deps_.dry_run) TRY(remember_told());
        if (!deps_.dry_run) TRY(note("down.refused"));
        return std::move(report_);
    }
    if (deps_.dry_run) return std::move(report_);
    TRY(confirm());
    bool changed = false;
    if (has_to_kill()) {
        TRY(kill_runs());
        changed = true;
    }
    // Whoever was asked may have gone for a coffee, and a run that was killed has written its last: what dies is looked
    // at again, and asked about again where the answer does not cover it.
    for (; changed || is_stale(); changed = false) {
        const judge::Confirmation given = report_.gate.confirmation;
        TRY(look());
        if (!report_.gate.open) {
            show();
            TRY(note("down.refused"));
            return std::move(report_);
        }
        if (given == judge::Confirmation::typed_name || report_.gate.confirmation == judge::Confirmation::yes_no) break;
        show();
        TRY(confirm_again());
    }
    TRY(end());
    return std::move(report_);
}

}  // namespace

std::string_view name_of(EndState state) {
    switch (state) {
        case EndState::not_asked:
            return "not-asked";
        case EndState::unconfirmed:
            return "unconfirmed";
        case EndState::ended:
            return "ended";
    }
    return "not-asked";
}

Result<DownReport> down(const Op& op, Deps& deps, const model::Lease& lease, const DownOptions& options) {
    return Teardown{op, deps, lease, options}.go();
}

}  // namespace drawhitch::flow
