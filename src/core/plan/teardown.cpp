#include "core/plan/teardown.hpp"

#include <array>

#include "base/text.hpp"
#include "core/plan/gate_text.hpp"
#include "core/plan/money.hpp"

namespace drawhitch::plan {

namespace {

std::string_view heading(judge::Fate fate) {
    switch (fate) {
        case judge::Fate::dies_proven:
            return "dies, proven    ";
        case judge::Fate::dies_given_up:
            return "dies, GIVEN UP  ";
        case judge::Fate::dies_declared:
            return "dies, declared  ";
        case judge::Fate::survives:
            return "survives        ";
    }
    return "";
}

}  // namespace

std::string billing_text(const judge::Billing& billing, const std::string& currency) {
    if (!billing.per_day || !billing.per_month) return "price unknown";
    return money(*billing.per_day, currency) + " a day, " + money(*billing.per_month, currency) + " a month";
}

std::vector<std::string> teardown_lines(const std::string& box, const std::string& currency, const judge::Gate& gate) {
    std::vector<std::string> lines{"Ending " + printable(box) + ":"};
    for (const judge::FateLine& fate : gate.fates)
        lines.push_back("  " + std::string{heading(fate.fate)} + fate.what);
    std::string_view keeps = "  keeps billing   ";
    for (const judge::Billing& billing : gate.billing) {
        lines.push_back(std::string{keeps} + billing.what +
                        (billing.in_words ? "" : ": " + billing_text(billing, currency)));
        keeps = "                  ";
    }
    for (const std::string& remark : gate.remarks)
        lines.push_back("  note            " + remark);
    if (gate.open && gate.nothing_dies) {
        lines.emplace_back("The gate is open: nothing dies here, and what is not pulled stays where it is.");
        return lines;
    }
    if (gate.open) {
        lines.emplace_back("The gate is open: everything that must be kept is proven or given up by name.");
        return lines;
    }
    lines.emplace_back("The gate is closed:");
    for (std::string& line : gate_lines(gate))
        lines.push_back(std::move(line));
    return lines;
}

}  // namespace drawhitch::plan
