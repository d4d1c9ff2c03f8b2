#include "core/parse/usage_places.hpp"

#include "core/parse/framed.hpp"
#include "core/parse/mount_table.hpp"

namespace drawhitch::parse {

namespace {

constexpr int k_leads_nowhere = 2;  // what `real` in the script ends with

}  // namespace

UsagePlaces usage_places(std::string_view text, std::string_view nonce, std::size_t asked) {
    const Framed sections = framed(text, nonce);
    UsagePlaces found;
    found.complete = sections.finished;
    if (const Section* mounts = sections.find("mounts")) found.mounts = mount_table(mounts->body);
    for (std::size_t i = 0; i < asked; ++i) {
        UsagePlace place;
        if (const Section* section = sections.find("place:" + std::to_string(i))) {
            place.missing = section->rc == k_leads_nowhere;
            if (section->rc == 0 && section->body.starts_with('/')) place.real = section->body;
        } else {
            found.complete = false;
        }
        found.places.push_back(std::move(place));
    }
    return found;
}

}  // namespace drawhitch::parse
