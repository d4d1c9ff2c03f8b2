#include "core/parse/machine_facts.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "core/parse/framed.hpp"

namespace drawhitch::parse {

namespace {

constexpr std::string_view k_place = "place:";

std::string text_of(std::string_view body, std::string_view key) {
    return std::string(value_of(body, key).value_or(""));
}

std::vector<std::string> lines_of(const Section* section) {
    std::vector<std::string> lines;
    if (section == nullptr) return lines;
    for (std::string_view line : split(section->body, '\n')) {
        line = trim(line);
        if (!line.empty()) lines.emplace_back(line);
    }
    return lines;
}

model::PlaceFacts place_of(std::string_view name, std::string_view body) {
    model::PlaceFacts place;
    place.name.assign(name);
    place.path = text_of(body, "path");
    place.exists = value_of(body, "exists").has_value();
    place.writable = value_of(body, "writable").has_value();
    place.executable = value_of(body, "exec").has_value();
    place.filesystem = text_of(body, "fs");
    if (const auto room = df_line(text_of(body, "bytes"))) {
        place.bytes_free = room->free * 1024;
        place.bytes_total = room->total * 1024;
    }
    if (const auto room = df_line(text_of(body, "inodes")); room && room->total > 0) {
        place.inodes_free = room->free;
        place.inodes_total = room->total;
    }
    return place;
}

void read_box(std::string_view body, model::MachineFacts& facts) {
    if (const auto now = whole_number(text_of(body, "now")); now && *now <= k_latest_time) {
        facts.now = static_cast<std::int64_t>(*now);
    }
    facts.user = text_of(body, "user");
    facts.uid = text_of(body, "uid");
    facts.home = text_of(body, "home");
    facts.system = text_of(body, "system");
    facts.machine = text_of(body, "machine");
    facts.kernel = text_of(body, "kernel");
    facts.os = text_of(body, "os");
    facts.boot_id = text_of(body, "boot_id");
    facts.host_name = text_of(body, "hostname");
    facts.container = value_of(body, "container").has_value();
    for (std::string_view tool : values_of(body, "tool"))
        facts.tools.emplace_back(tool);
}

}  // namespace

Inspected machine_facts(std::string_view text, std::string_view nonce) {
    const Framed sections = framed(text, nonce);
    Inspected result;
    result.complete = sections.finished;
    model::MachineFacts& facts = result.facts;
    if (const Section* box = sections.find("box")) read_box(box->body, facts);
    facts.env = lines_of(sections.find("env"));
    facts.container_env = lines_of(sections.find("env1"));
    if (const Section* gpu = sections.find("gpu")) {
        const std::vector<std::string> lines = lines_of(gpu);
        const bool rows = std::all_of(lines.begin(), lines.end(),
                                      [](const std::string& line) { return line.find(',') != std::string::npos; });
        if (gpu->rc == 0 && rows) {
            facts.gpus = lines;
        } else if (!lines.empty()) {
            facts.gpu_trouble = lines.front();
        }
    }
    for (const Section& section : sections.sections) {
        if (section.name.starts_with(k_place)) {
            facts.places.push_back(place_of(std::string_view(section.name).substr(k_place.size()), section.body));
        }
    }
    return result;
}

}  // namespace drawhitch::parse
