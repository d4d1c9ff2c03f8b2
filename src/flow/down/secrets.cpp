#include "flow/down/secrets.hpp"

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/parse/framed.hpp"
#include "core/plan/shred_script.hpp"
#include "flow/run/poll.hpp"
#include "io/ledger/ledger.hpp"
#include "io/transport/script.hpp"

namespace drawhitch::flow {

namespace {

Result<parse::Framed> ask(const Op& op, Deps& deps, const model::Lease& lease, const std::vector<std::string>& paths) {
    TRY_ASSIGN(auto transport, deps.connector.to(op, lease));
    const std::string nonce = random_hex(8);
    TRY_ASSIGN(const auto answer, transport::run_script(op, *transport, plan::shred_script(nonce, paths)));
    return parse::framed(answer.out, nonce);
}

}  // namespace

Result<RemovedSecrets> remove_secrets(const Op& op, Deps& deps, const model::Lease& lease) {
    RemovedSecrets result{};
    TRY_ASSIGN(const auto files, deps.ledger.volatile_files(lease.id));
    std::vector<std::string> paths{};
    for (const ledger::VolatileFile& file : files)
        paths.push_back(file.path);
    if (paths.empty()) return result;
    const auto answer = ask(op, deps, lease, paths);
    if (!answer) {
        TRY(op.check());
        op.warn("the secrets on " + lease.name + " could not be deleted: " + answer.error().message);
        result.kept = paths;
        return result;
    }
    const parse::Section* section = answer->find("shred");
    std::vector<bool> gone(paths.size(), false);
    for (const std::string_view value :
         section != nullptr ? parse::values_of(section->body, "gone") : std::vector<std::string_view>{}) {
        const auto number = parse::whole_number(value);
        if (number && *number < gone.size()) gone[static_cast<std::size_t>(*number)] = true;
    }
    for (std::size_t at = 0; at < paths.size(); ++at) {
        (gone[at] ? result.removed : result.kept).push_back(paths[at]);
        if (gone[at]) TRY(deps.ledger.forget_volatile(lease.id, paths[at]));
    }
    for (const std::string& path : result.kept)
        op.warn("a secret file is still on " + lease.name + ": " + printable(path));
    return result;
}

}  // namespace drawhitch::flow
