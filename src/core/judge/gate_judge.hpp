// Judge: builds the gate's decision, rule by rule. Private to the gate's sources: gate.cpp (who answers, names, costs),
// gate_runs.cpp (what runs leave behind) and gate_loose.cpp (what no run owns).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "core/judge/box_path.hpp"
#include "core/judge/gate.hpp"

namespace drawhitch::judge {

inline bool holds(const std::vector<std::string>& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

inline std::string files_and_bytes(std::uint64_t files, std::uint64_t bytes) {
    return counted(files, "file") + ", " + human_bytes(bytes);
}

// The work directory's parent: the run's log and records lie there.
inline std::string_view run_directory(const GateRun& run) {
    const std::string_view work = run.work_dir;
    return work.substr(0, work.rfind('/'));
}

// A run's name among those of all leases that the verb ends.
inline std::string called(const GateRun& run) {
    return run.lease.empty() ? run.name : run.lease + "/" + run.name;
}

// In a sentence.
inline std::string words_of(const GateRun& run) {
    return "run " + printable(run.name) + (run.lease.empty() ? "" : " of " + printable(run.lease));
}

// Builds the decision: every rule is one function that looks at its facts and adds reasons, fates and remarks.
class Judge {
  public:
    explicit Judge(const GateFacts& facts) : facts_(facts) {}

    Gate decide() {
        identity();
        mark();
        freshness();
        tiers();
        runs();
        earlier();
        undeclared();
        processes();
        names();
        billing();
        finish();
        gate_.open = gate_.reasons.empty();
        gate_.nothing_dies = !destroys();
        gate_.confirmation = unproven_dies_ ? Confirmation::typed_name : Confirmation::yes_no;
        return std::move(gate_);
    }

  private:
    [[nodiscard]] std::string down() const { return "drawhitch down " + shell_word(facts_.box); }

    // Without a command of its own, a reason is opened by the same command with its names.
    Reason& close(std::string id, std::string subject, std::string text, std::string next = {}) {
        gate_.reasons.push_back({std::move(id), std::move(subject), std::move(text), std::move(next)});
        return gate_.reasons.back();
    }
    Reason& close_run(const GateRun& run, std::string id, std::string subject, std::string text,
                      std::string next = {}) {
        Reason& reason = close(std::move(id), std::move(subject), std::move(text), std::move(next));
        reason.run = called(run);
        return reason;
    }
    // A finding: it closes unless it is accepted by its rule.
    void find(const std::string& id, const std::string& subject, std::string text, const std::string& run = {}) {
        const std::string rule = subject.empty() ? id : id + ":" + subject;
        if (holds(facts_.waivers.accept, rule)) {
            used_.push_back(rule);
            unproven_dies_ = true;
            gate_.remarks.push_back("accepted: " + text);
            return;
        }
        Reason& reason = close(id, subject, std::move(text));
        reason.acceptable = true;
        reason.run = run;
        reason.give_up = {"--accept", rule};
    }
    [[nodiscard]] bool lost(std::string_view path) {
        for (const std::string& name : facts_.waivers.lose) {
            if (path.empty() || !is_inside(path, name)) continue;
            used_.push_back(name);
            unproven_dies_ = true;
            return true;
        }
        return false;
    }
    // What a run must leave behind is given up by a name within the run's own directory. A place above it names too
    // much: who gives up "/root" for a stray file there does not mean the checkpoints.
    [[nodiscard]] bool lost(const GateRun& run, std::string_view path) {
        const std::string_view directory = run_directory(run);
        for (const std::string& name : facts_.waivers.lose) {
            if (path.empty() || !is_inside(path, name) || !is_inside(name, directory)) continue;
            used_.push_back(name);
            unproven_dies_ = true;
            return true;
        }
        return false;
    }
    // A name given for something that is safe anyway does no harm, and is no slip of the pen either.
    void needless(std::string_view path) {
        for (const std::string& name : facts_.waivers.lose)
            if (is_inside(path, name)) used_.push_back(name);
    }
    void fate(Fate fate, std::string what) { gate_.fates.push_back({fate, std::move(what)}); }
    // Anything is at stake only if the verb destroys something.
    [[nodiscard]] bool destroys() const {
        return std::ranges::any_of(facts_.tiers, [](const GateTier& tier) { return tier.destroyed; });
    }

    // The box by whose name the run is asked about.
    [[nodiscard]] std::string box_of(const GateRun& run) const {
        return shell_word(run.lease.empty() ? facts_.box : run.lease);
    }

    [[nodiscard]] bool is_to_be_killed(const GateRun& run) const {
        return run.lease.empty() && holds(facts_.waivers.kill_runs, run.name);
    }

    void identity();
    void mark();
    void freshness();
    void tiers();
    void runs();
    void liveness(const GateRun& run, bool killed);
    void code(const GateRun& run);
    void vanished(const GateRun& run);
    void earlier();
    void units(const GateRun& run);
    void roster(const GateRun& run);
    void scratch_dies(const GateRun& run, const std::vector<const UnitStanding*>& units);
    void must_unit(const GateRun& run, const UnitStanding& unit);
    void undeclared();
    void processes();
    void no_files(const GateRun& run);
    void names();
    void finish();
    void billing();
    [[nodiscard]] bool is_whole(const UndeclaredGroup& group) const;
    [[nodiscard]] std::vector<std::string> saving(const UndeclaredGroup& group, const GateRun* owner) const;
    [[nodiscard]] const model::BoxProcess* living_in(const std::string& run) const;
    void unknown_run(const UndeclaredGroup& group, const std::string& copy, Reason& reason);
    void undeclared_group(const UndeclaredGroup& group, const GateRun* owner);

    const GateFacts& facts_;
    Gate gate_{};
    std::vector<std::string> used_{};  // waivers that met something
    bool unproven_dies_{false};
};

}  // namespace drawhitch::judge
