#include "support/faulty_transport.hpp"

namespace drawhitch::support {

namespace {

Status count(FaultPlan& plan) {
    ++plan.calls;
    const bool fails =
        plan.fail_at != 0 && (plan.calls == plan.fail_at || (plan.persistent && plan.calls > plan.fail_at));
    if (!fails) return ok();
    plan.fired = true;
    return plan.error;
}

class FaultyProcess final : public transport::Process {
  public:
    FaultyProcess(std::unique_ptr<transport::Process> inner, FaultPlan& plan) : inner_(std::move(inner)), plan_(plan) {}

    Result<transport::Step> step(const Op& op, std::string_view outgoing, bool end_of_input) override {
        // A link that failed stays failed, as a real one does.
        if (!failed_ && !count(plan_)) failed_ = true;
        if (failed_) {
            inner_.reset();
            return plan_.error;
        }
        return inner_->step(op, outgoing, end_of_input);
    }

  private:
    std::unique_ptr<transport::Process> inner_{};
    FaultPlan& plan_;
    bool failed_{false};
};

}  // namespace

Result<std::unique_ptr<transport::Process>> FaultyTransport::exec(const Op& op, const transport::BoxCommand& command) {
    TRY(count(plan_));
    TRY_ASSIGN(std::unique_ptr<transport::Process> inner, inner_.exec(op, command));
    return std::unique_ptr<transport::Process>(std::make_unique<FaultyProcess>(std::move(inner), plan_));
}

}  // namespace drawhitch::support
