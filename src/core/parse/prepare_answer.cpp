#include "core/parse/prepare_answer.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/parse/cpu_facts.hpp"
#include "core/parse/framed.hpp"

namespace drawhitch::parse {

namespace {

std::string word(std::optional<std::string_view> text) {
    return std::string(text.value_or(""));
}

void read_prepare(std::string_view body, PrepareAnswer& answer) {
    answer.refused = word(value_of(body, "refused"));
    answer.because = word(value_of(body, "because"));
    answer.claimed_before = value_of(body, "claim") == "again";
    answer.claimed = signed_number(value_of(body, "claimed").value_or(""));
    answer.release = word(value_of(body, "release"));
    const bool hexadecimal = std::all_of(answer.release.begin(), answer.release.end(),
                                         [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (!hexadecimal) answer.release.clear();
    for (std::string_view name : values_of(body, "kept"))
        answer.kept.emplace_back(name);
}

void read_box(std::string_view body, PrepareAnswer& answer) {
    for (std::string_view name : values_of(body, "driver"))
        answer.drivers.emplace_back(name);
    if (const auto gpus = whole_number(value_of(body, "gpus").value_or("")); gpus && *gpus < 1024) {
        answer.gpus = static_cast<int>(*gpus);
    }
    for (std::string_view line : values_of(body, "live")) {
        const auto words = fields(line);
        if (words.empty() || words.size() > 2 || !is_plain_name(words[0])) continue;
        answer.live.push_back({std::string(words[0]), words.size() == 2 ? std::string(words[1]) : std::string{}});
    }
}

}  // namespace

PrepareAnswer prepare_answer(std::string_view text, std::string_view nonce) {
    const Framed sections = framed(text, nonce);
    PrepareAnswer answer;
    if (const Section* prepare = sections.find("prepare")) read_prepare(prepare->body, answer);
    if (const Section* place = sections.find("volatile")) {
        const auto path = value_of(place->body, "volatile").value_or("");
        if (path.starts_with('/')) answer.volatile_dir = path;
    }
    if (const Section* cpu = sections.find("cpu")) answer.cpu = cpu_facts(cpu->body);
    if (const Section* box = sections.find("box")) read_box(box->body, answer);
    answer.finished = sections.finished && answer.refused.empty();
    return answer;
}

}  // namespace drawhitch::parse
