#include "core/parse/cpu_facts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/parse/framed.hpp"

namespace drawhitch::parse {

namespace {

constexpr int k_most_cpus = 1 << 20;  // beyond any machine: a list that says more is nonsense

std::optional<int> positive(int value) {
    if (value <= 0) return std::nullopt;
    return value;
}

void tighten(std::optional<double>& limit, double value) {
    if (value > 0) limit = limit ? std::min(*limit, value) : value;
}

// "400000 100000", or "max 100000" and "-1 100000" for no limit.
std::optional<double> quota(std::string_view allowed, std::string_view period) {
    const auto micros = whole_number(allowed);
    const auto each = whole_number(period);
    if (!micros || !each || *each == 0) return std::nullopt;
    return static_cast<double>(*micros) / static_cast<double>(*each);
}

}  // namespace

int cpus_in_list(std::string_view list) {
    long count = 0;
    for (std::string_view part : split(trim(list), ',')) {
        const std::size_t dash = part.find('-');
        const auto from = whole_number(part.substr(0, dash));
        const auto to = dash == std::string_view::npos ? from : whole_number(part.substr(dash + 1));
        if (!from || !to || *to < *from || *to >= k_most_cpus) return 0;
        count += static_cast<long>(*to - *from + 1);
        if (count > k_most_cpus) return 0;
    }
    return static_cast<int>(count);
}

model::CpuFacts cpu_facts(std::string_view body) {
    model::CpuFacts facts;
    if (const auto online = whole_number(value_of(body, "nproc").value_or("")); online && *online < k_most_cpus) {
        facts.online = positive(static_cast<int>(*online));
    }
    facts.affinity = positive(cpus_in_list(value_of(body, "affinity").value_or("")));
    for (std::string_view line : split(body, '\n')) {
        const auto words = fields(line);
        if (words.size() == 3 && (words[0] == "v2" || words[0] == "v1")) {
            if (const auto limit = quota(words[1], words[2])) tighten(facts.quota, *limit);
        } else if (words.size() == 2 && words[0] == "cpuset") {
            if (const auto here = positive(cpus_in_list(words[1]))) {
                facts.cpuset = facts.cpuset ? std::min(*facts.cpuset, *here) : *here;
            }
        }
    }
    return facts;
}

}  // namespace drawhitch::parse
