#include "flow/run/launch.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/random.hpp"
#include "base/retry.hpp"
#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/exchange/run_json.hpp"
#include "core/judge/threads.hpp"
#include "core/parse/framed.hpp"
#include "core/parse/glob.hpp"
#include "core/parse/prepare_answer.hpp"
#include "core/parse/run_probe.hpp"
#include "core/plan/launch_scripts.hpp"
#include "core/plan/run_layout.hpp"
#include "core/plan/wrapper.hpp"
#include "core/proto/digest.hpp"
#include "core/proto/limits.hpp"
#include "flow/called.hpp"
#include "flow/root_mark.hpp"
#include "flow/run/claim.hpp"
#include "flow/run/launch_refusal.hpp"
#include "flow/run/launch_secrets.hpp"
#include "flow/run/poll.hpp"
#include "flow/same_machine.hpp"
#include "flow/transfer/link.hpp"
#include "io/ledger/ledger.hpp"
#include "io/ledger/lock.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

constexpr milliseconds k_prepare_patience{600'000};  // copying a large release where reflinks do not work
constexpr milliseconds k_start_patience{20'000};

std::string_view word_of(model::DetachDriver driver) {
    switch (driver) {
        case model::DetachDriver::systemd_run:
            return "systemd-run";
        case model::DetachDriver::tmux:
            return "tmux";
        case model::DetachDriver::setsid:
            return "setsid";
        case model::DetachDriver::nohup:
            return "nohup";
        case model::DetachDriver::sbatch:
            return "sbatch";
    }
    return "";
}

plan::Variables variables_of(const LaunchOptions& options) {
    plan::Variables variables = options.variables;
    if (!options.gpus.empty()) variables["CUDA_VISIBLE_DEVICES"] = options.gpus;
    return variables;
}

// The first number that no run of the ledger has, nor any of `on_box`.
std::string under_another_name(const Deps& deps, const model::Lease& lease, const LaunchOptions& options,
                               const std::vector<std::string>& on_box = {}) {
    const auto runs = deps.ledger.runs(lease.id);
    std::string line;
    for (int number = 1; runs && options.under_name && line.empty(); ++number) {
        const std::string name = "r" + std::to_string(number);
        const bool there = name == options.name || std::find(on_box.begin(), on_box.end(), name) != on_box.end();
        const bool taken = there || std::any_of(runs->begin(), runs->end(),
                                                [&](const model::Run& run) { return run.spec.name == name; });
        if (!taken) line = options.under_name(name);
        if (!taken && line.empty()) break;
    }
    return line.empty() ? "drawhitch ps " + lease.name : line;
}

// One launch from its checks to its confirmation.
class Launch {
  public:
    Launch(const Op& op, Deps& deps, const model::Lease& lease, const LaunchOptions& options)
        : op_(op), deps_(deps), lease_(lease), options_(options) {}

    Result<LaunchReport> go() {
        TRY(check());
        TRY_ASSIGN(transport_, deps_.connector.to(op_, lease_));
        if (Status began = begin(); !began) return holds_name_ ? with_way_out(began.error()) : began.error();
        return confirm();
    }

  private:
    Status begin() {
        TRY(claim());
        return found_ ? ok() : start();
    }
    [[nodiscard]] Error with_way_out(Error error) const;
    Status check();
    Status claim();
    Status claim_next_number(const std::vector<model::Run>& runs);
    Status claim_name(const std::string& name);
    Status resume(const model::Run& run);
    Status prepare(bool fresh);
    Status give_back(const std::string& why);
    Result<parse::PrepareAnswer> ask_to_prepare();
    [[nodiscard]] std::vector<std::string> names_on_box();
    Status freeze();
    model::RunSpec frozen_spec() const;
    Result<std::string> wrapper() const;
    Status start();
    Result<std::string> ask_to_start(const std::string& script);
    void warn_if_attached(const model::RunFacts& facts) const;
    Result<LaunchReport> confirm();

    const Op& op_;
    Deps& deps_;
    const model::Lease& lease_;
    const LaunchOptions& options_;
    model::Profile profile_{};
    std::unique_ptr<transport::Transport> transport_{};
    std::string name_{};
    std::string token_{};
    std::string driver_{};
    std::string environment_file_{};
    judge::ThreadShare threads_{};
    parse::PrepareAnswer box_{};
    model::Run run_{};
    bool asked_{false};       // the box may have heard of the claim
    bool holds_name_{false};  // claimed, and not given back
    bool found_{false};
};

// What was interrupted keeps its name; whoever reads only this error must learn how to go on and how to be rid of it.
Error Launch::with_way_out(Error error) const {
    error.why += (error.why.empty() ? "" : "\n") + name_stays_taken(lease_.name, name_);
    if (error.next.empty() && options_.under_name) error.next = options_.under_name(name_);
    if (error.next.empty()) error.next = stop_command(lease_.name, name_);
    return error;
}

Status Launch::check() {
    TRY(check_launch(deps_, lease_, options_));
    TRY_ASSIGN(const std::string others, others_there(deps_.ledger, lease_));
    if (!others.empty()) {
        op_.warn("the machine of " + lease_.name + " is also held by " + others +
                 "; runs of both share its CPUs and GPUs, and no one keeps them apart");
    }
    // A lease without the text of a profile gets the floor every box has.
    if (!lease_.profile_toml.empty()) {
        TRY_ASSIGN(profile_, config::checked(config::load_profile(lease_.profile_toml, lease_.profile + ".toml", "")));
    }
    return ok();
}

Result<parse::PrepareAnswer> Launch::ask_to_prepare() {
    plan::PrepareSpec spec;
    spec.nonce = random_hex(8);
    spec.root = lease_.root;
    spec.name = name_;
    spec.token = token_;
    spec.mark = lease_.root_nonce;
    TRY_ASSIGN(spec.marked, root_was_marked(deps_.ledger, lease_));
    spec.release = options_.release;
    spec.share_gpus = options_.share_gpus;
    spec.gpus = options_.gpus;
    spec.persist = deps_.project.values.persist;
    spec.links = deps_.project.values.links;
    spec.volatile_dirs = plan::volatile_candidates(profile_.paths.volatile_dir);
    const std::string script = plan::prepare_script(spec);
    for (int attempt = 1;; ++attempt) {
        auto answer = transport::run_script(op_.within(k_prepare_patience), *transport_, script);
        asked_ = asked_ || answer || !never_connected(answer.error());
        if (answer) return parse::prepare_answer(answer->out, spec.nonce);
        // The same claim may be made again by the same token: a lost answer is no lost claim.
        if (attempt == 3 || !is_worth_reconnecting(answer.error())) {
            Error error = std::move(answer).error();
            error.context.push_back("preparing run " + name_ + ": nothing was started");
            return error;
        }
        op_.clock.sleep(next_delay({}, attempt, std::nullopt, random_u64()), op_.cancel);
        TRY_ASSIGN(transport_, deps_.connector.to(op_, lease_));
    }
}

Status Launch::claim() {
    TRY_ASSIGN(const auto runs, deps_.ledger.runs(lease_.id));
    const auto meant = std::find_if(runs.begin(), runs.end(), [&](const model::Run& run) {
        if (!options_.name.empty()) return run.spec.name == options_.name;
        return awaits_its_start(run) && asks_for(options_, run.spec);
    });
    if (meant != runs.end()) return resume(*meant);
    return options_.name.empty() ? claim_next_number(runs) : claim_name(options_.name);
}

// Names that only the box knows (another laptop's runs) are stepped over.
Status Launch::claim_next_number(const std::vector<model::Run>& runs) {
    for (int number = 1; number < 10'000; ++number) {
        const std::string name = "r" + std::to_string(number);
        const bool known =
            std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.spec.name == name; });
        if (known) continue;
        Status claimed = claim_name(name);
        if (claimed || box_.refused != "taken") return claimed;
    }
    return Error{Code::exists, lease_.name + " has too many runs"};
}

Status Launch::claim_name(const std::string& name) {
    name_ = name;
    box_ = {};
    TRY_ASSIGN(token_, claim_token(deps_.ledger, lease_.id, name_));
    TRY_ASSIGN(run_, deps_.ledger.claim_run(lease_.id, frozen_spec()));
    holds_name_ = true;
    return prepare(true);
}

// Goes on with a claim of ours whose launch never told how it ended. A claim without a token is an older version's: the
// box would take us for another laptop.
Status Launch::resume(const model::Run& run) {
    TRY_ASSIGN(token_, known_token(deps_.ledger, lease_.id, run.spec.name));
    if (token_.empty() || !awaits_its_start(run))
        return already_there(lease_, run, under_another_name(deps_, lease_, options_));
    name_ = run.spec.name;
    run_ = run;
    holds_name_ = true;
    op_.note("run " + name_ + " was claimed by an earlier call that did not end; going on with it");
    return prepare(false);
}

// Makes the run's directory and work tree on the box. The claim is given back only where the box never took it.
Status Launch::prepare(bool fresh) {
    auto answer = ask_to_prepare();
    if (!answer && fresh && !asked_) TRY(give_back("the box was never reached"));
    if (!answer) return std::move(answer).error();
    box_ = std::move(answer).value();
    found_ = box_.refused == "started";
    if (found_) holds_name_ = false;  // the run's own
    if (found_ && !asks_for(options_, run_.spec)) return already_there(lease_, run_, {});
    if (found_) return ok();
    if (!box_.finished) {
        const bool not_ours = box_.refused == "taken" || (fresh && refused_unclaimed(box_));
        if (not_ours) TRY(give_back("the box refused it: " + box_.refused));
        const auto on_box = box_.refused == "taken" ? names_on_box() : std::vector<std::string>{};
        return launch_refusal(lease_, name_, box_, under_another_name(deps_, lease_, options_, on_box));
    }
    if (box_.volatile_dir.empty()) return no_volatile_place(lease_);
    const bool other_code = options_.release != "@current" && box_.release != options_.release;
    if (other_code) {
        op_.warn("run " + name_ + " was prepared with release " + box_.release.substr(0, 12) +
                 " and starts with it, not with what was pushed since");
    }
    return freeze();
}

Status Launch::give_back(const std::string& why) {
    TRY(deps_.ledger.drop_claim(run_.id, why));
    holds_name_ = false;
    return ok();
}

// Only for a suggestion: where the box does not answer any more, there is none of its names.
std::vector<std::string> Launch::names_on_box() {
    const std::string script =
        "cd " + shell_quote(lease_.root + "/runs") + " && for d in r[0-9]*; do echo \"$d\"; done";
    const auto answer = transport::run_script(op_.within(k_start_patience), *transport_, script);
    std::vector<std::string> names;
    for (const std::string_view line : answer ? split(answer->out, '\n') : std::vector<std::string_view>{})
        names.emplace_back(trim(line));
    return names;
}

model::RunSpec Launch::frozen_spec() const {
    model::RunSpec spec;
    spec.name = name_;
    spec.command = options_.command;
    spec.activate = options_.activate;
    spec.code_hash = box_.release;
    spec.run_dir = plan::run_directory(lease_.root, name_);
    spec.work_dir = plan::work_directory(lease_.root, name_);
    spec.gpus = options_.gpus;
    spec.driver = driver_;
    spec.roster = options_.roster;
    spec.scratch = options_.scratch;
    spec.started_by_pid = ::getpid();
    const plan::Variables variables = variables_of(options_);
    auto recorded = plan::recorded(variables, deps_.project.values.env.record);
    spec.env_shown = std::move(recorded.shown);
    const std::string salt = random_hex(8);
    for (const std::string& name : recorded.hidden) {
        const std::string& value = variables.at(name);
        spec.env_hashed[name] = salt + ":" + proto::sha256(salt + value).hex();
    }
    return spec;
}

// What could only be known from the box goes into the claim, before the start is asked for.
Status Launch::freeze() {
    std::vector<std::string> preferred;
    for (const model::DetachDriver driver : profile_.detach)
        preferred.emplace_back(word_of(driver));
    driver_ = plan::choose_driver(preferred, box_.drivers);
    if (driver_.empty()) {
        return Error{Code::remote_failed, lease_.name +
                                              " has neither setsid nor nohup: nothing could outlive the "
                                              "connection"};
    }
    const int runs = static_cast<int>(box_.live.size()) + 1;
    threads_ = judge::thread_share(box_.cpu, runs, options_.ranks, options_.command);
    environment_file_ = plan::environment_file(box_.volatile_dir, lease_.project, name_, token_);
    TRY_ASSIGN(run_, deps_.ledger.revise_claim(run_.id, frozen_spec()));
    return deps_.ledger.add_volatile(lease_.id, environment_file_, "environment of run " + name_);
}

Result<std::string> Launch::wrapper() const {
    plan::WrapperSpec spec;
    spec.name = name_;
    spec.run_dir = run_.spec.run_dir;
    spec.work_dir = run_.spec.work_dir;
    spec.token = token_;
    spec.attempt = static_cast<int>(run_.attempt);
    spec.environment_file = environment_file_;
    spec.activate = options_.activate;
    spec.command = options_.command;
    spec.defaults = plan::default_variables({.unbuffered = options_.unbuffered, .nccl_errors = true});
    spec.defaults.insert(spec.defaults.end(), profile_.env.begin(), profile_.env.end());
    spec.threads = threads_.threads;
    spec.record = deps_.project.values.env.record;
    return plan::wrapper_text(spec);
}

// Sends the start until it was answered. The box lets only one start of an attempt through, so asking again is safe.
Result<std::string> Launch::ask_to_start(const std::string& script) {
    for (int attempt = 1;; ++attempt) {
        auto answer = transport::run_script(op_.within(k_start_patience), *transport_, script);
        if (answer) return std::move(answer->out);
        if (attempt == 3 || !is_worth_reconnecting(answer.error())) {
            Error error = std::move(answer).error();
            error.context.push_back("starting run " + name_ + ": it may run; its claim is kept");
            error.next = "drawhitch ps " + lease_.name;
            return error;
        }
        op_.clock.sleep(next_delay({}, attempt, std::nullopt, random_u64()), op_.cancel);
        TRY_ASSIGN(transport_, deps_.connector.to(op_, lease_));
    }
}

Status Launch::start() {
    plan::StartSpec spec;
    spec.nonce = random_hex(8);
    spec.run_dir = run_.spec.run_dir;
    spec.name = name_;
    spec.attempt = static_cast<int>(run_.attempt);
    spec.driver = driver_;
    spec.environment_file = environment_file_;
    spec.environment_text = plan::environment_text(variables_of(options_));
    TRY_ASSIGN(spec.wrapper_text, wrapper());
    spec.record_text =
        exchange::run_json({run_.spec, run_.attempt, token_, op_.clock.wall(), threads_.why, DRAWHITCH_VERSION});
    spec.gpus = options_.share_gpus ? "" : options_.gpus;
    TRY_ASSIGN(const std::string out, ask_to_start(plan::start_script(spec)));
    const auto sections = parse::framed(out, spec.nonce);
    const parse::Section* section = sections.find("start");
    if (section != nullptr && section->rc == 0) return ok();
    // Nothing ran. The claim stays, as its directory on the box does: the same call goes on with both.
    return start_refusal(lease_, name_, section != nullptr ? section->body : std::string{});
}

// A container's first process may be the SSH server itself: being its child then means being nobody's.
void Launch::warn_if_attached(const model::RunFacts& facts) const {
    if (!facts.at_wrapper_pid || facts.at_wrapper_pid->parent == 1 || !facts.wrapper_parent.starts_with("sshd")) return;
    op_.warn("run " + name_ + " is still a child of the SSH session and may end with it");
}

Result<LaunchReport> Launch::confirm() {
    LaunchReport report;
    report.run = run_;
    report.threads = threads_.why;
    report.kept = box_.kept;
    report.found = found_;
    // A platform that asks a person for each connection gets no second one.
    if (!profile_.limits.mfa) {
        transport_.reset();
        auto second = deps_.connector.to(op_, lease_);
        if (!second) return std::move(second).error();
        transport_ = std::move(second).value();
    }
    auto views = poll_runs(op_, deps_, lease_, {run_}, {.over = transport_.get()});
    if (!views && is_unreachable(views.error())) {
        op_.warn(name_ + " was started, but the second connection could not confirm it: " + views.error().message);
        report.verdict.kind = model::VerdictKind::starting;
        return report;
    }
    if (!views) return std::move(views).error();
    report.run = views->front().run;
    report.verdict = views->front().verdict;
    warn_if_attached(*views->front().facts);
    // Gone without a record as soon as the first connection closed: that is how a login manager ends a session.
    model::Verdict& verdict = report.verdict;
    if (!found_ && verdict.kind == model::VerdictKind::failed && !verdict.exit_code && verdict.signal.empty()) {
        verdict.cause = "killed at logout: the box ends what a session leaves behind";
        verdict.evidence.emplace_back("it lived on the first connection and was gone on the second");
        TRY(deps_.ledger.record_verdict(run_.id, verdict));
        op_.warn("run " + name_ +
                 " was killed when the session ended; `loginctl enable-linger` on the box, or another "
                 "[detach] order in the profile, keeps what drawhitch starts");
    }
    report.confirmed =
        report.verdict.kind != model::VerdictKind::unknown && report.verdict.kind != model::VerdictKind::starting;
    if (report.confirmed) TRY(deps_.ledger.confirm_run(run_.id));
    report.run.confirmed = report.confirmed;
    return report;
}

}  // namespace

namespace {

// A project from before names had a limit may leave a run no room.
Status check_environment_name(const model::Lease& lease, const LaunchOptions& options) {
    constexpr std::string_view k_token = "00000000";
    constexpr std::string_view k_last_number = "r9999";
    const std::string_view name = options.name.empty() ? k_last_number : std::string_view{options.name};
    const std::size_t size = plan::environment_file("", lease.project, name, k_token).size() - 1;
    if (size <= proto::k_name_max) return ok();
    return Error{Code::usage, "the names of the project and the run are too long together"}
        .because("a file on the box is named after both, with " + std::to_string(size) + " bytes, and Linux takes " +
                 std::to_string(proto::k_name_max))
        .then("drawhitch help run");
}

}  // namespace

Status check_launch(const Deps& deps, const model::Lease& lease, const LaunchOptions& options) {
    TRY(plan::check_variables(options.variables));
    TRY(check_no_secrets(deps, lease, options));
    for (const model::RosterItem& item : options.roster)
        TRY(parse::Glob::compile(item.pattern));
    if (!options.name.empty()) TRY(check_called(options.name, "run"));
    TRY(check_environment_name(lease, options));
    // The words of the command are checked by rendering the wrapper.
    TRY(launch_preview(lease, options));
    TRY_ASSIGN(const auto runs, deps.ledger.runs(lease.id));
    for (const model::Run& run : runs) {
        if (run.spec.name != options.name || awaits_its_start(run)) continue;
        return already_there(lease, run, under_another_name(deps, lease, options));
    }
    return ok();
}

Result<std::string> launch_preview(const model::Lease& lease, const LaunchOptions& options) {
    plan::WrapperSpec spec;
    spec.name = options.name.empty() ? "r1" : options.name;
    spec.run_dir = plan::run_directory(lease.root, spec.name);
    spec.work_dir = plan::work_directory(lease.root, spec.name);
    spec.environment_file = "(chosen on the box)";
    spec.activate = options.activate;
    spec.command = options.command;
    spec.defaults = plan::default_variables({.unbuffered = options.unbuffered, .nccl_errors = true});
    return plan::wrapper_text(spec);
}

Result<LaunchReport> launch(const Op& op, Deps& deps, const model::Lease& lease, const LaunchOptions& options) {
    TRY_ASSIGN(const auto lock, ledger::FileLock::lease(op, deps.ledger.state_dir(), lease.id, "drawhitch run"));
    return Launch(op, deps, lease, options).go();
}

}  // namespace drawhitch::flow
