#include "io/transport/local.hpp"

#include "io/transport/child.hpp"

namespace drawhitch::transport {

namespace {

class LocalProcess final : public Process {
  public:
    explicit LocalProcess(std::unique_ptr<Child> child) : child_(std::move(child)) {}

    Result<Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        return child_->step(op, outgoing, end_of_input);
    }

  private:
    std::unique_ptr<Child> child_{};
};

}  // namespace

Result<std::unique_ptr<Process>> LocalTransport::exec(const Op& op, const BoxCommand& command) {
    TRY(op.check());
    ChildSpec spec;
    spec.argv = {login_shell_, "-c", command.text()};
    TRY_ASSIGN(std::unique_ptr<Child> child, Child::start(spec));
    return std::unique_ptr<Process>(std::make_unique<LocalProcess>(std::move(child)));
}

}  // namespace drawhitch::transport
