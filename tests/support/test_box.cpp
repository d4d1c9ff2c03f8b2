#include "support/test_box.hpp"

#include "base/random.hpp"
#include "core/proto/digest.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

std::string built_helper_path() {
    return helper_dir() + "/drawhitch-helper-x86_64";
}

const agent::HelperImages& built_helper() {
    static const agent::HelperImages k_images = [] {
        std::string bytes = read_file(built_helper_path());
        const std::string id = proto::sha256(bytes).hex().substr(0, 16);
        return agent::HelperImages::of({{"x86_64", id, std::move(bytes)}});
    }();
    return k_images;
}

namespace {

Result<flow::Link> dial(const Op& op, transport::Transport& transport, const std::string& root, flow::Fence* fence) {
    agent::ConnectOptions options{};
    options.known_path = built_helper_path();
    TRY_ASSIGN(std::shared_ptr<agent::Agent> agent, agent::Agent::connect(op, transport, built_helper(), options));
    flow::Link link{agent, agent.get(), 0, std::nullopt};
    TRY_ASSIGN(link.root, agent->open_root(op, root, fence != nullptr));
    if (fence != nullptr) {
        TRY_ASSIGN(link.claim, fence->claim(op, [&](const agent::ClaimOptions& wish) {
            return agent->claim(op, link.root, wish);
        }));
    }
    return link;
}

// Destroyed in this order: the agent's channel before the connection it lies on.
struct Connected {
    std::unique_ptr<transport::Transport> transport{};
    std::shared_ptr<void> agent{};
};

}  // namespace

agent::ClaimOptions some_push() {
    return {random_bytes(16), 0, false, {}};
}

flow::Dial dial_box(transport::Transport& transport, const std::string& root, flow::Fence* fence) {
    return [&transport, root, fence](const Op& op) { return dial(op, transport, root, fence); };
}

flow::Dial dial_box_with(MakeTransport make, const std::string& root, flow::Fence* fence) {
    return [make = std::move(make), root, fence](const Op& op) -> Result<flow::Link> {
        auto connected = std::make_shared<Connected>();
        connected->transport = make();
        TRY_ASSIGN(flow::Link link, dial(op, *connected->transport, root, fence));
        connected->agent = std::move(link.owner);
        link.owner = std::move(connected);
        return link;
    };
}

}  // namespace drawhitch::support
