#include "flow/adopt.hpp"

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/config/load_project.hpp"
#include "core/judge/profile_match.hpp"
#include "core/model/profile.hpp"
#include "core/parse/wildcard.hpp"
#include "flow/called.hpp"
#include "flow/endpoint_of.hpp"
#include "flow/host_trust.hpp"
#include "flow/inspect.hpp"
#include "flow/install_key.hpp"
#include "flow/project_check.hpp"
#include "flow/root_mark.hpp"
#include "flow/same_machine.hpp"
#include "io/agent/helper_images.hpp"
#include "io/disk/embedded_file.hpp"
#include "io/disk/profile_store.hpp"
#include "io/disk/write_atomic.hpp"
#include "io/ledger/ledger.hpp"
#include "io/term/json.hpp"
#include "io/transport/known_hosts.hpp"
#include "io/transport/local.hpp"
#include "io/transport/script.hpp"
#include "io/transport/ssh.hpp"

namespace drawhitch::flow {

namespace {

using model::TransportKind;

constexpr std::string_view k_fallback_profile = "generic-ssh";
constexpr std::string_view k_local = "local";

struct ChosenProfile {
    std::string id{};
    std::string text{};
    model::Profile values{};
};

Result<ChosenProfile> read_profile(const disk::ProfileStore& profiles, const std::string& id) {
    TRY_ASSIGN(const disk::ProfileText text, profiles.read(id));
    TRY_ASSIGN(model::Profile values, config::checked(config::load_profile(text.text, text.file, id)));
    return ChosenProfile{id, text.text, std::move(values)};
}

bool matches(const std::vector<std::string>& patterns, const std::string& text) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return parse::Wildcard::compile(pattern, parse::DeepStar::whole_component).matches(text);
    });
}

// A word as one would type it: quoted only where the shell would read it differently.
std::string typed_word(const std::string& word) {
    static constexpr std::string_view k_harmless =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
    const bool plain = !word.empty() && word.find_first_not_of(k_harmless) == std::string::npos;
    return plain ? word : shell_quote(word);
}

// The command as it was typed, without the host key's fingerprint and the option `without`. A password comes on
// standard input again.
std::string typed_again(const AdoptRequest& request, std::string_view without = {}) {
    std::string line = "drawhitch adopt " + request.name;
    for (const std::string& word : request.line)
        line += " " + typed_word(word);
    const auto add = [&](std::string_view option, const std::string& word) {
        if (!word.empty() && option != without) line.append(" ").append(option).append(" ").append(typed_word(word));
    };
    if (request.transport) add("--transport", std::string{model::name_of(*request.transport)});
    add("--profile", request.profile);
    add("--project", request.project);
    add("--data-dir", request.data_dir);
    if (request.price_hour) add("--price-hour", term::Json{*request.price_hour}.dump());
    add("--currency", request.currency);
    return request.password ? line + " --password-stdin" : line;
}

class Adoption {
  public:
    Adoption(const Op& op, Deps& deps, LeaseConnector& connector, const disk::ProfileStore& profiles,
             const AdoptRequest& request)
        : op_(op), deps_(deps), connector_(connector), profiles_(profiles), request_(request) {}

    Result<AdoptReport> run() {
        TRY(read_request());
        TRY(choose_profile());
        TRY(resolve());
        TRY(connect());
        TRY(look());
        TRY(place());
        if (existing_) TRY(prove_same());
        TRY(look_for_runs());
        if (!deps_.dry_run) TRY(keep());
        if (!deps_.dry_run) TRY(note_asking());
        if (!deps_.dry_run) TRY(warn_of_others());
        if (!deps_.dry_run) TRY(write_project_file());
        if (!deps_.dry_run) TRY(remember_project(deps_, lease_.id));
        report_.lease = lease_;
        return std::move(report_);
    }

  private:
    [[nodiscard]] bool is_local() const { return request_.line.size() == 1 && request_.line.front() == k_local; }

    Status read_request() {
        TRY_ASSIGN(auto known, deps_.ledger.find_lease(request_.name));
        if (known && known->state != model::LeaseState::closed) existing_ = std::move(known);
        if (request_.name == "ssh" && !existing_) {
            std::string again = "drawhitch adopt b1 ssh";
            for (const std::string& word : request_.line)
                again += " " + typed_word(word);
            return Error{Code::usage, "the line begins where the name of the box should stand; nothing was changed"}
                .because("NAME comes first: what you want to call the box")
                .then(again);
        }
        // A box that has its name already keeps it.
        if (const Status name = check_called(request_.name, "box"); !name && !existing_) {
            return Error{name.error()}.then("drawhitch help adopt");
        }
        if (existing_) lease_ = *existing_;
        lease_.name = request_.name;
        report_.updated = existing_.has_value();
        if (is_local()) return ok();
        TRY_ASSIGN(line_, parse::ssh_line(request_.line));
        report_.passed_over = line_.passed_over;
        return ok();
    }

    Status choose_profile() {
        TRY_ASSIGN(const std::string id, profile_id());
        TRY_ASSIGN(profile_, read_profile(profiles_, id));
        for (const model::Relay& relay : profile_.values.match.relays) {
            if (!matches(relay.hosts, line_.destination)) continue;
            return Error{Code::shell_missing, printable(line_.destination) + " is a relay that gives only a terminal"}
                .because(relay.text);
        }
        return ok();
    }

    // The first that says something: the flag, the lease, the project, the host's name, the user's settings. Above the
    // last of them stands what the box's environment says later.
    Result<std::string> profile_id() {
        if (!request_.profile.empty()) return request_.profile;
        if (existing_) return existing_->profile;
        if (is_local()) return std::string(k_local);
        if (!deps_.project.values.profile.empty()) return deps_.project.values.profile;
        TRY_ASSIGN(const std::vector<std::string> ids, profiles_.ids());
        for (const std::string& id : ids) {
            // A profile that cannot be read is found out by whoever asks for it, not by everybody else.
            const auto profile = read_profile(profiles_, id);
            if (!profile) continue;
            const model::Match& match = profile->values.match;
            const bool relayed = std::any_of(match.relays.begin(), match.relays.end(), [&](const model::Relay& relay) {
                return matches(relay.hosts, line_.destination);
            });
            if (!relayed && !matches(match.hosts, line_.destination)) continue;
            report_.why_profile = "its host name fits";
            return id;
        }
        guessed_ = true;
        return deps_.settings.profile.value_or(std::string(k_fallback_profile));
    }

    Status resolve() {
        if (is_local()) {
            lease_.endpoint = model::Endpoint{};
            lease_.endpoint.transport = TransportKind::local;
            return ok();
        }
        const auto& project = deps_.project.values.connection.transport;
        const auto& settings = deps_.settings.connection.transport;
        const auto wanted = request_.transport ? request_.transport : project ? project : settings;
        meant_ = wanted && *wanted != TransportKind::automatic ? wanted : std::nullopt;
        TRY_ASSIGN(Resolved resolved, resolve_endpoint(op_, connector_, line_, profile_.values, meant_));
        lease_.endpoint = resolved.endpoint;
        report_.why_transport = resolved.why_transport;
        return ok();
    }

    Status connect() {
        if (is_local()) {
            transport_ = std::make_unique<transport::LocalTransport>();
            return ok();
        }
        HostTrust trust;
        if (existing_) {
            TRY_ASSIGN(trust.pins, deps_.ledger.host_keys(existing_->id));
        }
        const model::Endpoint& endpoint = lease_.endpoint;
        TRY_ASSIGN(trust.known, transport::known_host_keys(op_, deps_.laptop.home, endpoint.host, endpoint.port));
        trust.accept = request_.accept_host_key;
        trust.retry = typed_again(request_);
        keys_.emplace(std::move(trust), deps_.prompt);
        const transport::SshTarget target = connector_.target(endpoint);
        if (endpoint.transport == TransportKind::openssh) return connect_by_program(target);
        if (request_.password) TRY(install_key(op_, target, *keys_, *request_.password));
        auto ssh = std::make_unique<transport::SshTransport>(target,
                                                             transport::SshTrust{*keys_, &connector_.secrets(), false});
        if (Status in = ssh->connect(op_); !in) return go_on(std::move(in).error(), ssh->beyond());
        transport_ = std::move(ssh);
        return ok();
    }

    // What the built-in client cannot do the ssh program may, unless the user or the profile has chosen.
    Status go_on(Error error, transport::Beyond beyond) {
        if (error.code != Code::auth || beyond == transport::Beyond::nothing) return error;
        if (beyond == transport::Beyond::ticket || meant_ || profile_.values.ssh.transport == TransportKind::ssh)
            return std::move(error).then(typed_again(request_, "--transport") + " --transport openssh");
        op_.note("this host asks for more than a key: your ssh program is used; one connection serves all");
        TRY_ASSIGN(const Resolved resolved,
                   resolve_endpoint(op_, connector_, line_, profile_.values, TransportKind::openssh));
        lease_.endpoint = resolved.endpoint;
        asks_ = true;
        return connect_by_program(connector_.target(lease_.endpoint));
    }

    // The program cannot ask us about a key, so its key is fetched first, without a login.
    Status connect_by_program(const transport::SshTarget& target) {
        if (request_.password && !keys_->accepted()) {
            return Error{Code::usage, "a password cannot be given to the ssh program"}.then(
                "ssh-copy-id " + shell_quote(line_.destination));
        }
        std::optional<model::HostKey> key = keys_->accepted();
        if (!key) {
            TRY_ASSIGN(key, transport::learn_host_key(op_, target, connector_.openssh(lease_.endpoint, false)));
            TRY(keys_->check(op_, target.shown_host(), *key));
        }
        Status in = log_in(target, *key, asks_ || profile_.values.limits.mfa);
        // It may want what only a person can give, and the program was told to ask nobody.
        if (!in && in.error().code == Code::auth && !asks_ && connector_.may_ask()) {
            op_.note(
                "this host does not let us in by a key alone: your ssh program may ask you; one connection serves all");
            asks_ = true;
            in = log_in(target, *key, true);
        }
        if (!in && in.error().code == Code::auth && in.error().next.empty())
            return std::move(in).error().then(typed_again(request_));
        return in;
    }

    Status log_in(const transport::SshTarget& target, const model::HostKey& key, bool asking) {
        auto made = std::make_unique<transport::OpensshTransport>(target, connector_.openssh(lease_.endpoint, asking),
                                                                  std::vector<model::HostKey>{key});
        TRY(connector_.log_in(op_, *made));
        transport_ = std::move(made);
        return ok();
    }

    // The lease's later logins ask, too, or not any more.
    Status note_asking() {
        const std::string key{k_asks_note};
        TRY_ASSIGN(const auto before, deps_.ledger.note(lease_.id, key));
        const std::string now = asks_ ? "yes" : "";
        return before.value_or("") == now ? ok() : deps_.ledger.set_note(lease_.id, key, now);
    }

    Status look() {
        if (!request_.data_dir.empty()) profile_.values.paths.data_dir = request_.data_dir;
        TRY_ASSIGN(report_.machine, inspect(op_, *transport_, profile_.values));
        if (guessed_) TRY(choose_by_env());
        if (keys_) {
            report_.host_key = keys_->accepted();
            report_.new_key = keys_->is_new();
        }
        const model::MachineFacts& machine = report_.machine;
        if (machine.system != "Linux") {
            return Error{Code::noexec, "the box runs " + printable(machine.system) + ", and the helper needs Linux"}
                .because("it is built for Linux on x86_64 and aarch64");
        }
        if (deps_.helpers.build_id(machine.machine).empty()) {
            return Error{Code::noexec, "there is no helper for the box's processor, " + printable(machine.machine)};
        }
        return ok();
    }

    // Nothing said which profile it is. What the box has set may say it.
    Status choose_by_env() {
        std::vector<judge::EnvMatch> candidates;
        TRY_ASSIGN(const std::vector<std::string> ids, profiles_.ids());
        for (const std::string& id : ids) {
            const auto profile = read_profile(profiles_, id);
            if (profile) candidates.push_back({id, profile->values.match.env});
        }
        const judge::EnvChoice choice = judge::choose_by_env(report_.machine, candidates);
        if (!choice.rivals.empty()) {
            op_.warn("the environment of the box fits the profiles " + join(choice.rivals, " and ") +
                     "; none is taken by that, --profile says which it is");
        }
        if (choice.profile.empty()) return ok();
        report_.why_profile = "its environment has " + join(choice.found, ", ");
        if (choice.profile == profile_.id) return ok();
        TRY_ASSIGN(profile_, read_profile(profiles_, choice.profile));
        if (!request_.data_dir.empty()) profile_.values.paths.data_dir = request_.data_dir;
        TRY_ASSIGN(report_.machine, inspect(op_, *transport_, profile_.values));  // its places are others
        return ok();
    }

    // Where on the box everything will lie.
    Status place() {
        const model::PlaceFacts* data = report_.machine.place("data");
        if (data == nullptr || data->path.empty() || data->path.front() != '/') {
            return Error{Code::remote_failed,
                         "the box does not tell where " + printable(profile_.values.paths.data_dir) + " is"};
        }
        if (!data->writable) {
            return Error{Code::permission,
                         printable(data->path) + " cannot be written by " + printable(report_.machine.user)}
                .because("it is the data directory of profile " + profile_.id)
                .then(typed_again(request_, "--data-dir") + " --data-dir DIR");
        }
        lease_.project = !request_.project.empty() ? request_.project : deps_.project.values.name;
        if (lease_.project.empty()) lease_.project = config::name_from_directory(deps_.project.directory);
        if (const Status name = check_called(lease_.project, "project"); !name) {
            return Error{name.error()}.then(typed_again(request_, "--project") + " --project NAME");
        }
        root_ = (data->path == "/" ? "" : data->path) + "/drawhitch/" + lease_.project;
        return ok();
    }

    // A name that is in use must not quietly become another machine's: its runs and receipts are about this one.
    Status prove_same() {
        if (existing_->root.empty() || existing_->root_nonce.empty()) return ok();
        TRY_ASSIGN(const auto runs, deps_.ledger.runs(existing_->id));
        const std::string script = "cat " + shell_quote(existing_->root + "/lease-nonce") + " 2>/dev/null || echo none";
        TRY_ASSIGN(const transport::ScriptResult mark, transport::run_script(op_, *transport_, script));
        if (trim(mark.out) == existing_->root_nonce) {
            root_ = existing_->root;
            lease_.project = existing_->project;
            same_root_ = true;
            return ok();
        }
        if (runs.empty()) return ok();
        if (trim(mark.out) == "none") {
            return Error{Code::exists, "the project's directory on this machine does not carry the mark of " +
                                           request_.name + "; nothing was changed"}
                .because("under " + printable(existing_->root) +
                         " the disk was wiped, swapped or is not mounted, or it is another machine; " + request_.name +
                         " has runs that are only known there, which are given up first: down, then lease close")
                .then("drawhitch down " + request_.name);
        }
        return Error{Code::exists, "this machine is not the one called " + request_.name + "; nothing was changed"}
            .because("the mark of that lease is not under " + printable(existing_->root) +
                     ", and it has runs that are only known there")
            .then("drawhitch lease show " + request_.name);
    }

    // Runs below the data directory that nobody here started. Names that no run can have are left to the gate.
    Status look_for_runs() {
        constexpr std::size_t k_most = 64;
        const std::string top = parent_path(root_);
        const std::string script = "cd " + shell_quote(top) + " 2>/dev/null || exit 0\nfor d in */runs/*/; do\n" +
                                   "case $d in *[!A-Za-z0-9._/-]*) continue ;; esac\n" +
                                   "[ -e \"$d/claim\" ] || [ -e \"$d/run.json\" ] || continue\n" +
                                   "printf '%s\\n' \"$d\"\ndone | head -n " + std::to_string(8 * k_most);
        TRY_ASSIGN(const transport::ScriptResult found, transport::run_script(op_, *transport_, script));
        std::set<std::string> known;
        TRY_ASSIGN(const auto leases, deps_.ledger.leases(ledger::Which::all));
        for (const model::Lease& lease : leases) {
            TRY_ASSIGN(const auto runs, deps_.ledger.runs(lease.id));
            for (const model::Run& run : runs)
                known.insert(run.spec.run_dir);
        }
        for (const std::string_view line : split(found.out, '\n')) {
            if (line.size() < 2 || !line.ends_with('/')) continue;
            std::string place = top + "/" + std::string{line.substr(0, line.size() - 1)};
            if (known.contains(place)) continue;
            report_.more_unknown_runs = report_.unknown_runs.size() == k_most;
            if (report_.more_unknown_runs) break;
            report_.unknown_runs.push_back(std::move(place));
        }
        return ok();
    }

    static std::string parent_path(const std::string& path) { return path.substr(0, path.rfind('/')); }

    // The mark under the root: what an earlier lease left there, so that a box that was adopted before (from here or
    // from another laptop) is met again instead of refused; else a new one.
    Result<std::string> mark() {
        constexpr std::size_t k_digits = 32;
        const std::string script = "head -c 64 " + shell_quote(root_ + "/lease-nonce") + " 2>/dev/null || :";
        TRY_ASSIGN(const transport::ScriptResult found, transport::run_script(op_, *transport_, script));
        const std::string_view left = trim(found.out);
        mark_left_ = left.size() == k_digits && !unhex(left).empty();
        return mark_left_ ? std::string{left} : random_hex(k_digits / 2);
    }

    Status keep() {
        lease_.boot_id = report_.machine.boot_id;
        if (!existing_) return keep_new();
        const std::int64_t id = existing_->id;
        TRY(deps_.ledger.update_endpoint(id, lease_.endpoint));
        if (report_.new_key) {
            TRY(deps_.ledger.replace_host_keys(id, std::span(&*report_.host_key, 1),
                                               "adopted again (" + report_.host_key->source + ")"));
        }
        if (profile_.id != existing_->profile) TRY(deps_.ledger.set_profile(id, profile_.id, profile_.text));
        if (!same_root_) {
            TRY_ASSIGN(const std::string mark_there, mark());
            TRY(deps_.ledger.set_root(id, lease_.project, root_, mark_there));
        }
        if (request_.price_hour) TRY(deps_.ledger.set_price(id, request_.price_hour, currency()));
        TRY(deps_.ledger.contact(id));
        TRY_ASSIGN(lease_, deps_.ledger.lease(id));
        TRY(note_inherited());
        return mark_left_ || same_root_ ? note_root_mark(deps_.ledger, lease_) : ok();
    }

    // The mark says whose directory this is already, whatever key the machine showed.
    Status warn_of_others() {
        if (!mark_left_) return ok();
        TRY_ASSIGN(const std::string others, others_there(deps_.ledger, lease_));
        if (!others.empty())
            op_.warn("the box of " + lease_.name + " is also held by " + others +
                     "; whoever ends it ends it for all of them");
        return ok();
    }

    // A mark that no lease of this ledger made.
    Status note_inherited() {
        if (!mark_left_) return ok();
        TRY_ASSIGN(const auto leases, deps_.ledger.leases(ledger::Which::all));
        const bool ours = std::ranges::any_of(leases, [this](const model::Lease& lease) {
            return lease.id != lease_.id && lease.root_nonce == lease_.root_nonce;
        });
        return ours ? ok() : note_inherited_root(deps_.ledger, lease_);
    }

    Status keep_new() {
        lease_.profile = profile_.id;
        lease_.profile_toml = profile_.text;
        lease_.root = root_;
        TRY_ASSIGN(lease_.root_nonce, mark());
        lease_.price_hour = request_.price_hour;
        lease_.currency = currency();
        std::vector<model::HostKey> pins;
        if (report_.host_key) pins.push_back(*report_.host_key);
        for (model::HostKey& pin : pins)
            pin.seen = op_.clock.wall();
        TRY_ASSIGN(lease_, deps_.ledger.add_lease(lease_, pins));
        TRY(note_inherited());
        return mark_left_ ? note_root_mark(deps_.ledger, lease_) : ok();
    }

    [[nodiscard]] std::string currency() const {
        return request_.currency.empty() ? profile_.values.platform.currency : request_.currency;
    }

    // A project file for a directory that has none; a home directory is no project.
    Status write_project_file() {
        const std::string& directory = deps_.project.directory;
        if (!deps_.project.file.empty() || directory.empty() || directory == "/" || directory == deps_.laptop.home)
            return ok();
        std::string text(disk::project_template());
        static constexpr std::string_view k_box_line = "#box = \"b1\"";
        if (const std::size_t at = text.find(k_box_line); at != std::string::npos) {
            text.replace(at, k_box_line.size(), "box = \"" + request_.name + "\"");
        }
        const std::string path = directory + "/" + std::string(config::k_project_file_name);
        if (auto written = disk::write_atomic(path, text); !written) {
            // A read-only directory is no reason to forget the box.
            op_.warn("no drawhitch.toml was written: " + written.error().message);
            return ok();
        }
        report_.project_file = path;
        return ok();
    }

    const Op& op_;
    Deps& deps_;
    LeaseConnector& connector_;
    const disk::ProfileStore& profiles_;
    const AdoptRequest& request_;
    parse::SshLine line_{};
    std::optional<model::Lease> existing_{};
    ChosenProfile profile_{};
    bool guessed_{false};                   // the profile is the default one
    std::optional<TransportKind> meant_{};  // by the user or the project
    bool asks_{false};                      // each login asks a person, as was found out
    std::optional<FirstUse> keys_{};
    std::unique_ptr<transport::Transport> transport_{};
    model::Lease lease_{};
    std::string root_{};
    bool mark_left_{false};  // the mark was there before
    bool same_root_{false};  // the existing lease's root, mark and all
    AdoptReport report_{};
};

}  // namespace

Result<AdoptReport> adopt(const Op& op, Deps& deps, LeaseConnector& connector, const disk::ProfileStore& profiles,
                          const AdoptRequest& request) {
    return Adoption(op, deps, connector, profiles, request).run();
}

}  // namespace drawhitch::flow
