#include "support/local_deps.hpp"

#include <sys/stat.h>

#include <stdexcept>

#include "io/transport/local.hpp"

namespace drawhitch::support {

namespace {

template <class T>
T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(result).value();
}

}  // namespace

Result<std::unique_ptr<transport::Transport>> LocalConnector::to(const Op&, const model::Lease&) {
    return std::unique_ptr<transport::Transport>{std::make_unique<transport::LocalTransport>()};
}

LocalDeps::LocalDeps(const Op& op, const std::string& directory)
    : directory_(directory), helpers_(agent::HelperImages::embedded()) {
    if (directory_.empty()) directory_ = own_.emplace().path();
    ledger_ = std::make_unique<ledger::Ledger>(must(ledger::Ledger::open(op, directory_ + "/state")));
    prompt_ = std::make_unique<term::Prompt>(term::PromptOptions{.no_input = true}, echo_);
    for (const char* part : {"project", "box", "home"})
        ::mkdir((directory_ + "/" + part).c_str(), 0700);
    laptop_.directory = project_directory();
    laptop_.home = directory_ + "/home";
    laptop_.state_dir = directory_ + "/state";
    laptop_.config_dir = directory_ + "/config";
    laptop_.environment = [](const std::string&) { return std::optional<std::string>{}; };
    project_.directory = project_directory();
    project_.values.name = "demo";
    deps_ = std::make_unique<flow::Deps>(
        flow::Deps{*ledger_, connector_, helpers_, *prompt_, laptop_, project_, settings_});
}

model::Lease LocalDeps::adopt(const std::string& name) {
    model::Lease lease;
    lease.name = name;
    lease.profile = "local";
    lease.endpoint.transport = model::TransportKind::local;
    lease.project = "demo";
    lease.root = root();
    lease.root_nonce = "00112233445566778899aabbccddeeff";
    return must(ledger_->add_lease(lease));
}

}  // namespace drawhitch::support
