// The text of a teardown: the plan shown before anything is asked, and the report kept afterwards. Values in, text out;
// pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/judge/gate.hpp"
#include "core/model/lease.hpp"
#include "core/model/run.hpp"

namespace drawhitch::plan {

// What dies, what survives, what keeps billing, and, when the gate is closed, why and what to type. One string a line,
// printable.
std::vector<std::string> teardown_lines(const std::string& box, const std::string& currency, const judge::Gate& gate);

// "48.00 USD a day, 1460.00 USD a month", or "price unknown".
std::string billing_text(const judge::Billing& billing, const std::string& currency);

// One run as the report keeps it.
struct TeardownRun {
    model::Run run{};
    std::vector<model::ReceiptEntry> proven{};  // newest generation of each path
};

struct TeardownReport {
    model::Lease lease{};
    std::string profile_version{};
    std::vector<std::string> host_keys{};  // fingerprints in force
    std::vector<TeardownRun> runs{};
    judge::Gate gate{};
    WallTime at{};
    std::string state{};                 // how the lease stands: "unconfirmed", "closed"
    std::vector<std::string> proof{};    // why it is said to be so
    std::string by_hand{};               // what the user has to do
    std::vector<std::string> removed{};  // secrets of ours deleted from the box
    std::optional<double> spent{};
    std::string program{};  // version of drawhitch
};

// Schema drawhitch.down/1. Names that are not UTF-8 as {"b64": …}.
std::string report_json(const TeardownReport& report);
std::string report_markdown(const TeardownReport& report);

}  // namespace drawhitch::plan
