#include "flow/down/own_state.hpp"

#include <algorithm>

#include "core/judge/own_files.hpp"
#include "flow/down/run_standing.hpp"
#include "io/agent/agent.hpp"

namespace drawhitch::flow {

namespace {

// In flight at once: each answer is at most k_most_bytes.
constexpr std::size_t k_batch = 16;
constexpr std::uint32_t k_most_bytes = 128U << 10U;

// The content of each; none of what cannot be read.
Result<std::vector<std::optional<std::string>>> read_all(const Op& op, BoxRoots& roots,
                                                         std::span<const judge::SeenFile> files) {
    TRY_ASSIGN(const proto::RootId top, roots.open(op, "/"));
    agent::Session& session = roots.agent().session();
    std::vector<std::uint32_t> numbers{};
    for (const judge::SeenFile& file : files)
        numbers.push_back(session.submit(proto::ReadSmall{top, file.path.substr(1), 0, k_most_bytes}));
    std::vector<std::optional<std::string>> contents{};
    while (contents.size() < files.size()) {
        TRY_ASSIGN(const agent::Incoming incoming, session.receive(op));
        if (incoming.type == proto::MessageType::progress) continue;
        // Served strictly in order, so answered in order.
        if (incoming.request != numbers[contents.size()])
            return Error{Code::protocol, "the helper answered out of order"};
        contents.emplace_back();
        if (incoming.type != proto::MessageType::small) continue;
        TRY_ASSIGN(auto small, proto::decode<proto::Small>(incoming.payload));
        if (small.content.size() < k_most_bytes) contents.back() = std::move(small.content);
    }
    return contents;
}

}  // namespace

Status check_own_state(const Op& op, BoxRoots& roots, judge::Undeclared& undeclared) {
    const std::vector<judge::SeenFile> files = undeclared.own_state();
    for (std::size_t at = 0; at < files.size(); at += k_batch) {
        TRY(op.check());
        const auto batch = std::span{files}.subspan(at, std::min(k_batch, files.size() - at));
        auto contents = read_all(op, roots, batch);
        if (!contents && ends_the_look(contents.error())) return contents.error();
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const bool ours = contents && (*contents)[i] && judge::holds_own_state(batch[i].path, *(*contents)[i]);
            if (!ours) undeclared.disown(batch[i]);
        }
    }
    return ok();
}

}  // namespace drawhitch::flow
