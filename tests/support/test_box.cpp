#include "support/test_box.hpp"

#include "base/random.hpp"
#include "core/proto/digest.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace drawhitch::support {

std::string built_helper_path() {
    return binary_dir() + "/helper/drawhitch-helper-x86_64";
}

const agent::HelperImages& built_helper() {
    static const agent::HelperImages k_images = [] {
        std::string bytes = read_file(built_helper_path());
        const std::string id = proto::sha256(bytes).hex().substr(0, 16);
        return agent::HelperImages::of({{"x86_64", id, std::move(bytes)}});
    }();
    return k_images;
}

flow::Dial dial_box(transport::Transport& transport, const std::string& root, bool claim) {
    const std::string owner = random_bytes(16);
    return [&transport, root, claim, owner](const Op& op) -> Result<flow::Link> {
        agent::ConnectOptions options{};
        options.known_path = built_helper_path();
        TRY_ASSIGN(std::shared_ptr<agent::Agent> agent, agent::Agent::connect(op, transport, built_helper(), options));
        flow::Link link{agent, agent.get(), 0, std::nullopt};
        TRY_ASSIGN(link.root, agent->open_root(op, root, claim));
        if (claim) {
            agent::ClaimOptions wish{};
            wish.owner = owner;
            TRY_ASSIGN(link.claim, agent->claim(op, link.root, wish));
        }
        return link;
    };
}

}  // namespace drawhitch::support
