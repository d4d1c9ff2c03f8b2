// What a refused launch means, in words for people: every refusal of the box's scripts as an Error with its cure.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "core/model/lease.hpp"
#include "core/model/run.hpp"
#include "core/parse/prepare_answer.hpp"

namespace drawhitch::flow {

// `next` is what to type when the name is taken.
Error launch_refusal(const model::Lease& lease, const std::string& name, const parse::PrepareAnswer& answer,
                     std::string next);
// Whether the box said no before it claimed the name.
bool refused_unclaimed(const parse::PrepareAnswer& answer);
// `body` is what the start script printed.
Error start_refusal(const model::Lease& lease, const std::string& name, std::string_view body);
Error already_there(const model::Lease& lease, const model::Run& run, std::string next);
Error no_volatile_place(const model::Lease& lease);

}  // namespace drawhitch::flow
