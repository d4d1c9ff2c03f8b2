// Doctor: what works between here and a box, step by step, and what is in the way. It looks; the only things it writes
// are the helper on the box and short-lived test files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/judge/machine.hpp"
#include "flow/connector.hpp"
#include "flow/deps.hpp"

namespace drawhitch::flow {

struct Examined {
    std::string area{};  // "laptop", "connection", "box"
    judge::Finding finding{};
};

struct DoctorReport {
    std::vector<Examined> findings{};
    std::optional<Error> failed{};  // what stopped the examination before its end
};

// Without a lease only the laptop is examined. Codes: cancelled and deadline; everything else is a finding.
Result<DoctorReport> doctor(const Op& op, Deps& deps, const LeaseConnector& connector,
                            const std::optional<model::Lease>& lease);

}  // namespace drawhitch::flow
