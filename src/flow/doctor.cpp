#include "flow/doctor.hpp"

#include "base/text.hpp"
#include "core/config/load_profile.hpp"
#include "core/judge/root.hpp"
#include "core/parse/ssh_config.hpp"
#include "flow/box.hpp"
#include "flow/endpoint_of.hpp"
#include "flow/inspect.hpp"
#include "flow/lease_place.hpp"
#include "flow/run/poll.hpp"
#include "io/agent/helper_images.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/key_agent.hpp"
#include "io/transport/key_file.hpp"
#include "io/transport/program.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

using judge::Finding;
using judge::Grade;

Finding failure(std::string rule, const Error& error) {
    std::string evidence = error.message;
    if (!error.why.empty()) evidence += " (" + error.why + ")";
    return {std::move(rule), Grade::fail, std::move(evidence), error.next};
}

// Where the box may be gone, the ssh program knows no more than we do. What tells one way from the other: something
// that refuses us, or says nothing we know, answers at that address, so the box is likely behind another port; a name
// that does not exist, or silence, is likely a rental that has ended.
std::string next_for_gone(const Error& error, const model::Lease& lease) {
    if (error.code == Code::refused || error.code == Code::no_banner) return adopt_elsewhere(lease);
    const bool no_such_name = error.code == Code::dns && error.retry == Retry::never;
    if (no_such_name || error.code == Code::connect_timeout) return "drawhitch lease close " + shell_word(lease.name);
    return "drawhitch doctor " + shell_word(lease.name);
}

class Doctor {
  public:
    Doctor(const Op& op, Deps& deps, const LeaseConnector& connector) : op_(op), deps_(deps), connector_(connector) {}

    Result<DoctorReport> run(const std::optional<model::Lease>& lease) {
        TRY(look_at_laptop(lease));
        if (lease) {
            auto examined = look_at_box(*lease);
            TRY(op_.check());
            if (!examined) report_.failed = std::move(examined).error();
        }
        return std::move(report_);
    }

  private:
    void add(const char* area, Finding finding) { report_.findings.push_back({area, std::move(finding)}); }

    Status look_at_laptop(const std::optional<model::Lease>& lease) {
        // The ledger is open, or we would not be here.
        add("laptop", {"state", Grade::pass, deps_.ledger.state_dir(), {}});
        const std::string project = deps_.project.file.empty() ? "no drawhitch.toml here or above" : deps_.project.file;
        add("laptop", {"project", deps_.project.file.empty() ? Grade::info : Grade::pass, project, {}});
        const std::vector<std::string> images = deps_.helpers.architectures();
        add("laptop", {"helper", images.empty() ? Grade::fail : Grade::pass,
                       images.empty() ? "this program carries no helper" : "for " + join(images, ", "),
                       images.empty() ? "build it with scripts/build" : ""});
        TRY(look_at_program());
        if (!lease || lease->endpoint.transport != model::TransportKind::local) TRY(look_at_keys(lease));
        return ok();
    }

    Status look_at_program() {
        auto version = transport::run_program(op_.within(milliseconds{10'000}), {"ssh", "-V"});
        TRY(op_.check());
        if (version && version->exit.clean()) {
            add("laptop", {"ssh", Grade::pass, std::string(trim(version->err)), {}});
        } else {
            add("laptop", {"ssh", Grade::warn, "no working ssh program",
                           "jump hosts and security keys need it: install openssh-client"});
        }
        return ok();
    }

    Status look_at_keys(const std::optional<model::Lease>& lease) {
        const transport::SshTarget target = connector_.target(lease ? lease->endpoint : model::Endpoint{});
        bool agent_has_keys = false;
        if (target.agent_socket.empty()) {
            add("laptop", {"agent", Grade::info, "no ssh-agent (SSH_AUTH_SOCK is not set)", {}});
        } else {
            auto agent = transport::KeyAgent::connect(op_, target.agent_socket);
            auto keys = agent ? agent->list(op_) : Result<std::vector<transport::AgentKey>>(agent.error());
            TRY(op_.check());
            agent_has_keys = keys && !keys->empty();
            add("laptop",
                keys ? Finding{"agent", Grade::pass, std::to_string(keys->size()) + " keys", {}}
                     : Finding{"agent", Grade::warn, keys.error().message, "start it anew, or unset SSH_AUTH_SOCK"});
        }
        look_at_key_files(target, agent_has_keys);
        return ok();
    }

    void look_at_key_files(const transport::SshTarget& target, bool agent_has_keys) {
        const bool given = !target.identity_files.empty();
        std::vector<std::string> files = target.identity_files;
        if (!given) {
            for (const char* name : {"id_ed25519", "id_ecdsa", "id_rsa"})
                files.push_back(target.home + "/.ssh/" + name);
        }
        bool usable = false;
        for (const std::string& file : files) {
            const auto key = transport::load_key_file(file);
            if (!key && !given && key.error().message.ends_with("does not exist")) continue;
            if (!key) {
                add("laptop", failure("key", key.error()));
                continue;
            }
            usable = true;
            add("laptop", {"key",
                           Grade::pass,
                           file + (key->type.empty() ? "" : " (" + key->type + ")") +
                               (key->encrypted ? ", with a passphrase" : ""),
                           {}});
        }
        if (!usable && !agent_has_keys)
            add("laptop", {"key", Grade::warn, "no key to log in with", "ssh-keygen -t ed25519"});
    }

    Status look_at_box(const model::Lease& lease) {
        Result<Box> box = reach(lease);
        if (!box) return std::move(box).error();
        model::Profile profile = config::load_profile(lease.profile_toml, lease.profile, "").value;
        // The lease knows better where its data lie than the profile does.
        if (const std::string place = data_dir_of(lease); !place.empty()) profile.paths.data_dir = place;
        TRY(measure(box->transport()));
        judge::ClockReading clock;
        clock.before = op_.clock.wall().seconds;
        auto machine = inspect(op_, box->transport(), profile);
        clock.after = op_.clock.wall().seconds;
        if (!machine) {
            add("box", failure("shell", machine.error()));
            return std::move(machine).error();
        }
        for (Finding& finding : judge::judge_machine(*machine, profile, clock, deps_.helpers.architectures()))
            add("box", std::move(finding));
        return look_at_root(*box);
    }

    // Name, port, host key, login and helper in one go; the code of the failure tells which it was.
    Result<Box> reach(const model::Lease& lease) {
        auto box = Box::connect(op_, deps_, lease);
        if (!box) {
            add("connection", failure(std::string(id(box.error().code)), box.error()));
            // The ssh program says no more of a machine that is gone.
            if (is_unreachable(box.error()) && lease.endpoint.transport != model::TransportKind::local) {
                add("connection", {"gone", Grade::warn, "the rental may have ended, or moved to another port",
                                   "if it ended, `drawhitch lease close " + shell_word(lease.name) +
                                       "`; if the console shows another line now, `" + adopt_elsewhere(lease) +
                                       "` with what it shows"});
                Error error = std::move(box).error();
                error.next = next_for_gone(error, lease);
                return error;
            }
            return box;
        }
        add("connection", {"login", Grade::pass, box->transport().describe(), {}});
        const std::string place = box->agent().helper_path();
        add("box", {"helper", Grade::pass, place + (box->agent().installed() ? " (put there now)" : ""), {}});
        if (box->restarted()) {
            add("box", {"restart", Grade::warn, "the box restarted since it was last seen",
                        "drawhitch watch " + lease.name + " tells what became of its runs"});
        }
        return box;
    }

    Status measure(transport::Transport& transport) {
        const Instant before = op_.clock.now();
        auto answer = transport::run_script(op_, transport, "exit 0");
        const auto took = std::chrono::duration_cast<milliseconds>(op_.clock.now() - before);
        if (!answer) {
            add("box", failure("shell", answer.error()));
            return std::move(answer).error();
        }
        std::string evidence = "a command takes " + std::to_string(took.count()) + " ms";
        if (const std::string_view noise = trim(answer->noise); !noise.empty()) {
            evidence += "; start-up files print " + human_bytes(noise.size()) + ", which is skipped";
        }
        add("box", {"shell", Grade::pass, std::move(evidence), {}});
        return ok();
    }

    Status look_at_root(Box& box) {
        const auto root = box.open_root(op_, false);
        if (root) {
            add("box", {"root", Grade::pass, box.lease().root, {}});
            look_at_root_facts(box);
        } else if (root.error().code == Code::not_found) {
            add("box", {"root", Grade::info, "nothing was pushed yet", root.error().next});
        } else {
            Finding finding = failure("root", root.error());
            // Its advice is this very look.
            if (root.error().code == Code::host_key) finding.advice = box.begin_anew();
            add("box", std::move(finding));
            return root.error();
        }
        return ok();
    }

    // As the last push found out; trying it out anew would be a change.
    void look_at_root_facts(const Box& box) {
        const auto facts = box.root_facts();
        if (!facts) return;
        for (Finding& finding : judge::judge_root(*facts))
            add("box", std::move(finding));
    }

    const Op& op_;
    Deps& deps_;
    const LeaseConnector& connector_;
    DoctorReport report_{};
};

}  // namespace

Result<DoctorReport> doctor(const Op& op, Deps& deps, const LeaseConnector& connector,
                            const std::optional<model::Lease>& lease) {
    return Doctor(op, deps, connector).run(lease);
}

}  // namespace drawhitch::flow
