#include "flow/inspect.hpp"

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/parse/machine_facts.hpp"
#include "core/plan/inspect_script.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

Result<model::MachineFacts> inspect(const Op& op, transport::Transport& transport, const model::Profile& profile) {
    std::vector<plan::InspectPlace> places;
    const auto add = [&](const char* name, const std::string& path) {
        if (!path.empty()) places.push_back({name, path});
    };
    add("data", profile.paths.data_dir);
    add("durable", profile.paths.durable_dir);
    add("volatile", profile.paths.volatile_dir);
    add("home", "~");
    add("tmp", "/tmp");
    const std::string nonce = random_hex(8);
    TRY_ASSIGN(const transport::ScriptResult result,
               transport::run_script(op, transport, plan::inspect_script(nonce, places)));
    parse::Inspected inspected = parse::machine_facts(result.out, nonce);
    if (inspected.complete) return std::move(inspected.facts);
    Error error{Code::remote_failed, "the box could not say what kind of machine it is"};
    error.why =
        result.err.empty() ? "its shell ended with " + std::to_string(result.exit.code) : printable(trim(result.err));
    return error;
}

}  // namespace drawhitch::flow
