#include "io/transport/ssh.hpp"

#include <libssh2.h>

#include "io/transport/dial.hpp"
#include "io/transport/key_file.hpp"
#include "io/transport/ssh_auth.hpp"
#include "io/transport/ssh_link.hpp"
#include "io/transport/ssh_process.hpp"

namespace drawhitch::transport {

namespace {

// What a channel may send us ahead of our reading. libssh2 opens it again at three quarters, and those have to hold
// what a helper is granted (proto::FlowWindow::k_most): with 2 MiB a path of 150 ms carried 14 MB/s on each connection.
// Programs without such a grant are slower with much more: 32 MiB in sshd's own buffers halve the speed.
constexpr unsigned k_window_bytes = 5U << 20U;
constexpr unsigned k_packet_bytes = 32U << 10U;

Result<model::HostKey> key_of(LIBSSH2_SESSION* session) {
    std::size_t size = 0;
    int kind = 0;
    const char* blob = ::libssh2_session_hostkey(session, &size, &kind);
    if (blob == nullptr) return Error{Code::host_key, "the server showed no host key; nothing was sent"};
    model::HostKey key;
    key.blob.assign(blob, size);
    key.type = key_type(key.blob);
    key.fingerprint = fingerprint_of(key.blob);
    return key;
}

}  // namespace

Status SshTransport::connect(const Op& op) {
    TRY(op.check());
    if (link_ && link_->alive()) return ok();
    link_.reset();
    // Keys first: one that cannot be used costs nobody a connection.
    Keyring keys;
    if (!trust_.by_password) {
        TRY_ASSIGN(keys, Keyring::gather(op, target_, trust_.prompt != nullptr));
    }
    TRY_ASSIGN(UniqueFd socket, dial(op, target_));
    const auto round_trip = path_round_trip(socket.get());
    if (milestones_.connected && round_trip) milestones_.connected(*round_trip);
    TRY_ASSIGN(std::shared_ptr<SshLink> link,
               SshLink::start(std::move(socket), target_, trust_.host_keys.known_types()));
    TRY(greet(op, *link));
    if (milestones_.before_login) TRY(milestones_.before_login(op));
    if (trust_.by_password) {
        if (trust_.prompt == nullptr) return Error{Code::key_unusable, "there is no way to ask for the password"};
        TRY(authenticate_by_password(op, *link, *trust_.prompt));
    } else {
        const Status in = authenticate(op, *link, keys, trust_.prompt);
        beyond_ = keys.beyond;
        TRY(in);
    }
    if (milestones_.logged_in) milestones_.logged_in();
    link_ = std::move(link);
    return ok();
}

// Handshake and host key. Nothing of ours has been sent when this fails.
Status SshTransport::greet(const Op& op, SshLink& link) {
    TRY_ASSIGN(const int code, link.finish(op, SshPhase::handshake, [&] { return link.handshake(); }));
    if (code != 0) return link.error(SshPhase::handshake, code);
    TRY_ASSIGN(const model::HostKey key, key_of(link.session()));
    return trust_.host_keys.check(op, target_.shown_host(), key);
}

namespace {

Result<LIBSSH2_CHANNEL*> open_once(const Op& op, SshLink& link) {
    LIBSSH2_CHANNEL* channel = nullptr;
    static constexpr char k_kind[] = "session";
    TRY_ASSIGN(const int opened, link.finish(op, SshPhase::opening, [&] {
        channel = ::libssh2_channel_open_ex(link.session(), k_kind, sizeof k_kind - 1, k_window_bytes, k_packet_bytes,
                                            nullptr, 0);
        return channel != nullptr ? 0 : ::libssh2_session_last_errno(link.session());
    }));
    if (channel == nullptr) return link.error(SshPhase::opening, opened);
    return channel;
}

// OpenSSH counts a session against its MaxSessions until a moment after its channel was closed, so that with a limit of
// 1 the next program may come too early. That is no failure of the box: it gets the moment, once.
constexpr milliseconds k_session_afterlife{150};

Result<LIBSSH2_CHANNEL*> open_channel(const Op& op, SshLink& link) {
    auto channel = open_once(op, link);
    if (channel || channel.error().code != Code::limits || !link.has_retired()) return channel;
    op.clock.sleep(k_session_afterlife, op.cancel);
    return open_once(op, link);
}

}  // namespace

Result<std::unique_ptr<Process>> SshTransport::exec(const Op& op, const BoxCommand& command) {
    TRY(connect(op));
    SshLink& link = *link_;
    TRY_ASSIGN(LIBSSH2_CHANNEL* const channel, open_channel(op, link));
    auto process = std::make_unique<SshProcess>(link_, channel);
    static constexpr char k_request[] = "exec";
    const std::string& text = command.text();
    TRY_ASSIGN(const int started, link.finish(op, SshPhase::opening, [&] {
        return ::libssh2_channel_process_startup(channel, k_request, sizeof k_request - 1, text.data(),
                                                 static_cast<unsigned>(text.size()));
    }));
    if (started != 0) return link.error(SshPhase::opening, started);
    return std::unique_ptr<Process>(std::move(process));
}

}  // namespace drawhitch::transport
