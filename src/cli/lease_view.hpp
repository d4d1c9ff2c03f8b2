// How leases look, shared by ls, show and lease. Values in, cells and lines out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/overview.hpp"
#include "io/term/table.hpp"

namespace drawhitch::cli {

// "unconfirmed" is told with what it means.
term::Cell state_cell(model::LeaseState state);
// "2.40 USD"; null when it is not known.
term::Cell money_cell(const std::optional<double>& amount, const std::string& currency);
// A time that was never set is null.
term::Cell time_cell(WallTime at, WallTime now);
// "release in 3 d" for people; [{name, effect, at, at_age, close}] in JSON.
term::Cell clocks_cell(const std::vector<flow::ClockView>& clocks, WallTime now);
// The reasons; [{run, reason}] in JSON.
term::Cell risks_cell(const std::vector<flow::RiskView>& risks);

// "root@203.0.113.7 port 41022", "alias gpu1", "local".
std::string endpoint_text(const model::Endpoint& endpoint);
term::Json endpoint_json(const model::Endpoint& endpoint);

}  // namespace drawhitch::cli
