#include "flow/run/launch_refusal.hpp"

#include <array>

#include "base/text.hpp"
#include "core/parse/framed.hpp"

namespace drawhitch::flow {

namespace {

struct Row {
    std::string_view word{};
    Code code{Code::remote_failed};
    std::string_view message{};
};

// Words of templates/box/prepare.sh and start.sh.
constexpr std::array<Row, 16> k_refusals{{
    {"no-gpu", Code::usage, "it has no such GPU"},
    {"no-mark", Code::host_key, "the project's root does not carry the mark we left there"},
    {"no-root", Code::not_found, "nothing was pushed there yet"},
    {"no-release", Code::not_found, "the code it should run is not there"},
    {"other-box", Code::host_key, "the project's root carries another lease's mark"},
    {"gpus-taken", Code::exists, "its GPUs are taken by another run"},
    {"taken", Code::exists, "the name is taken on the box"},
    {"other", Code::exists, "an earlier call of other words was faster, and its job is the run"},
    {"claim", Code::no_space, "the run's directory could not be made"},
    {"work", Code::no_space, "the work tree could not be made"},
    {"copy", Code::no_space, "the code could not be copied into the work tree"},
    {"link", Code::remote_failed, "a link could not be placed in the work tree"},
    {"persist", Code::remote_failed, "a persistent directory could not be made"},
    {"no-work", Code::remote_failed, "its work tree is gone"},
    {"environment", Code::permission, "the environment file could not be written"},
    {"write", Code::no_space, "the run's files could not be written"},
}};

std::string cure(std::string_view word, const model::Lease& lease) {
    if (word == "no-root" || word == "no-release") return "drawhitch push " + lease.name;
    if (word == "gpus-taken" || word == "other") return "drawhitch ps " + lease.name;
    return "drawhitch doctor " + lease.name;
}

Error refusal(const model::Lease& lease, const std::string& name, std::string_view word, std::string_view because) {
    for (const Row& row : k_refusals) {
        if (row.word != word) continue;
        Error error{row.code, "run " + name + " was not started on " + lease.name + ": " + std::string(row.message)};
        if (!because.empty()) error.why = "the box says: " + printable(because);
        if (word == "gpus-taken")
            error.why =
                "run " + printable(because) + " is live there and has them; --gpus takes others, --share-gpu the same";
        if (word == "no-mark")
            error.why = "under " + printable(lease.root) +
                        " the disk was wiped, swapped or is not mounted, or this is another machine";
        if (word == "no-gpu") error.why = "--gpus counts from 0; asked for was GPU " + printable(because);
        error.next = cure(word, lease);
        return error;
    }
    return Error{Code::remote_failed, Retry::never,
                 "run " + name + " was not started on " + lease.name + ": the box's answer was cut short"}
        .then("drawhitch ps " + lease.name);
}

}  // namespace

Error launch_refusal(const model::Lease& lease, const std::string& name, const parse::PrepareAnswer& answer,
                     std::string next) {
    Error error = refusal(lease, name, answer.refused, answer.because);
    if (answer.refused == "taken") error.next = std::move(next);
    return error;
}

bool refused_unclaimed(const parse::PrepareAnswer& answer) {
    for (const std::string_view word :
         {"no-root", "no-release", "other-box", "no-mark", "no-gpu", "gpus-taken", "taken"})
        if (answer.refused == word) return true;
    return false;
}

Error start_refusal(const model::Lease& lease, const std::string& name, std::string_view body) {
    return refusal(lease, name, parse::value_of(body, "refused").value_or(""),
                   parse::value_of(body, "because").value_or(""));
}

Error already_there(const model::Lease& lease, const model::Run& run, std::string next) {
    const bool ended = model::is_terminal(run.verdict.kind);
    return Error{Code::exists, "run " + run.spec.name + " of " + lease.name +
                                   (ended ? " exists and has ended" : " is already running") + " (id " +
                                   std::to_string(run.id) + ", " + std::string(model::name_of(run.verdict.kind)) +
                                   "); nothing was started"}
        .then(ended ? std::move(next) : "drawhitch ps " + lease.name);
}

Error no_volatile_place(const model::Lease& lease) {
    return Error{Code::permission, lease.name + " has no private place for the run's environment"}
        .because(
            "neither the profile's volatile directory nor /dev/shm, the runtime directory or a temporary directory "
            "can be written by us alone")
        .then("drawhitch doctor " + lease.name);
}

}  // namespace drawhitch::flow
