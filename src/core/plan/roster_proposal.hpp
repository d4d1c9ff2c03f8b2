// RosterProposal: which patterns would name what a run has made, for somebody whose own pattern met nothing. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drawhitch::plan {

struct OutputFile {
    std::string path{};  // relative to the work tree, bytes
    std::uint64_t bytes{0};
};

struct ProposedPattern {
    std::string pattern{};  // parse::Glob; meets at least one of the outputs and none of the released files
    std::uint64_t files{0};
    std::uint64_t bytes{0};
};

// Caches, hidden directories and their like: nobody trains for them. A directory of a Python environment needs its
// `pyvenv.cfg` among the outputs to be known.
bool is_by_product(std::string_view path);

// The largest first: a directory that holds nothing but outputs as a whole, loose files by their ending where several
// have it, others by name. `released` are paths of the work tree that came with the code. By-products, and names that
// could not be shown and typed, are left out.
std::vector<ProposedPattern> propose_roster(const std::vector<OutputFile>& outputs,
                                            const std::vector<std::string>& released);

}  // namespace drawhitch::plan
