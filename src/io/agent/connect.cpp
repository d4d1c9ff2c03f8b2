// Agent::connect: the way to a running helper.
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "core/proto/limits.hpp"
#include "io/agent/agent.hpp"
#include "io/agent/install.hpp"

namespace drawhitch::agent {

namespace {

Result<std::unique_ptr<Session>> start_at(const Op& op, transport::Transport& transport, const std::string& path,
                                          const SessionOptions& options) {
    const std::string nonce = random_bytes(proto::k_nonce_size);
    TRY_ASSIGN(const transport::BoxCommand command, transport::BoxCommand::program(path, hex(nonce)));
    TRY_ASSIGN(std::unique_ptr<transport::Process> process, transport.exec(op, command));
    return Session::start(op, std::move(process), nonce, options);
}

// A helper that is not ours (another build, half a file that happens to run) is as good as none.
Status check_build(const Session& session, const HelperImages& images) {
    const std::string expected = images.build_id(session.hello().arch);
    if (!expected.empty() && session.hello().build_id == expected) return ok();
    Error error{Code::protocol, "the helper on the box is another build than ours"};
    error.why =
        "it says " + printable(session.hello().build_id) + ", ours is " + (expected.empty() ? "none" : expected);
    return error;
}

// What only says that no good helper lies at the remembered path; anything else is the connection's own trouble.
bool worth_installing(const Error& error) {
    return error.code == Code::not_found || error.code == Code::noexec || error.code == Code::shell_missing ||
           error.code == Code::protocol || error.code == Code::unsafe_path;
}

Error no_place(const Survey& found) {
    Error error{Code::noexec, "no directory on the box may hold and run the helper"};
    error.why = join(found.refused, "; ");
    return error;
}

struct Placed {
    std::string path{};
    bool installed{false};
};

Result<Placed> find_or_install(const Op& op, transport::Transport& transport, const HelperImages& images,
                               const std::string& data_dir) {
    std::vector<std::string> tried;
    std::optional<Error> last;
    for (;;) {
        TRY_ASSIGN(const Survey found, survey(op, transport, images, data_dir, tried));
        if (!found.existing.empty()) return Placed{found.existing, false};
        TRY_ASSIGN(const HelperImage image, images.find(found.arch));
        if (found.place.empty()) return last ? *last : no_place(found);
        auto path = install(op, transport, image, found);
        if (path) return Placed{*path, true};
        last = std::move(path).error();
        // A full or forbidden place says nothing about the next one; a lost connection does.
        const bool of_the_place =
            last->code == Code::no_space || last->code == Code::noexec || last->code == Code::remote_failed;
        if (!of_the_place) return *last;
        tried.push_back(found.place);
    }
}

}  // namespace

Result<std::unique_ptr<Agent>> Agent::connect(const Op& op, transport::Transport& transport, const HelperImages& images,
                                              const ConnectOptions& options) {
    const auto wrap = [](std::unique_ptr<Session> session, const Placed& placed) {
        std::unique_ptr<Agent> agent(new Agent(std::move(session)));
        agent->helper_path_ = placed.path;
        agent->installed_ = placed.installed;
        return agent;
    };
    if (!options.known_path.empty()) {
        auto session = start_at(op, transport, options.known_path, options.session);
        if (session) {
            if (check_build(**session, images)) return wrap(std::move(*session), Placed{options.known_path, false});
            op.debug("the helper at the remembered path is another build");
        } else if (!worth_installing(session.error())) {
            return std::move(session).error();
        }
    }
    if (!options.install) return Error{Code::not_found, "the helper is not where it was"};
    TRY_ASSIGN(const Placed placed, find_or_install(op, transport, images, options.data_dir));
    TRY_ASSIGN(std::unique_ptr<Session> session, start_at(op, transport, placed.path, options.session));
    TRY(check_build(*session, images));
    return wrap(std::move(session), placed);
}

}  // namespace drawhitch::agent
