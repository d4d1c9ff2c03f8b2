#include "io/transport/ssh_link.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#if defined(__linux__)
#include <linux/sockios.h>
#endif

#include "io/transport/wait.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_kept_greeting = 512;

// Measured with libssh2 1.11.1 against OpenSSH 9.2: counter mode with a plain MAC and ChaCha20 are half again as fast
// as its GCM. ChaCha20 stands second because it makes sshd exchange keys after each GiB.
constexpr const char* k_ciphers =
    "aes128-ctr,chacha20-poly1305@openssh.com,aes256-ctr,aes192-ctr,aes128-gcm@openssh.com,aes256-gcm@openssh.com";
constexpr const char* k_macs =
    "hmac-sha2-256,hmac-sha2-256-etm@openssh.com,hmac-sha2-512,hmac-sha2-512-etm@openssh.com,hmac-sha1";

// The signature algorithms for a type of host key, and the order in which unknown hosts are asked.
std::string algorithms_of(const std::string& type) {
    return type == "ssh-rsa" ? "rsa-sha2-512,rsa-sha2-256" : type;
}
constexpr const char* k_key_types[] = {"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                                       "ecdsa-sha2-nistp521", "ssh-rsa"};

std::string host_key_algorithms(std::vector<std::string> types) {
    for (const char* type : k_key_types) {
        if (std::find(types.begin(), types.end(), type) == types.end()) types.emplace_back(type);
    }
    std::string list;
    for (const std::string& type : types)
        list += (list.empty() ? "" : ",") + algorithms_of(type);
    return list;
}

bool initialise_library() {
    static const bool done = ::libssh2_init(0) == 0;  // once a process; thread-safe by the language
    return done;
}

}  // namespace

// libssh2's way into a link. It hands over the session's `abstract`, which is the link's memory.
struct SshCallbacks {
    static SshLink& link(void** abstract) { return *static_cast<SshLink*>(static_cast<SshMemory*>(*abstract)->owner); }

    static ssize_t receive(libssh2_socket_t, void* buffer, size_t length, int, void** abstract) {
        return link(abstract).receive(buffer, length);
    }
    static ssize_t send(libssh2_socket_t, const void* buffer, size_t length, int, void** abstract) {
        return link(abstract).send(buffer, length);
    }
    static void disconnect(  // NOLINT(readability-function-size): the parameters are libssh2's
        LIBSSH2_SESSION*, int, const char* message, int length, const char*, int, void** abstract) {
        if (message != nullptr && length > 0)
            link(abstract).farewell_.assign(message, static_cast<std::size_t>(length));
    }

    template <class Function>
    static void install(LIBSSH2_SESSION* session, int kind, Function* function) {
        ::libssh2_session_callback_set2(session, kind, reinterpret_cast<libssh2_cb_generic*>(function));
    }
};

Result<std::shared_ptr<SshLink>> SshLink::start(UniqueFd socket, SshTarget target,
                                                const std::vector<std::string>& key_types) {
    if (!initialise_library()) return Error{Code::internal, "libssh2 does not start"};
    std::shared_ptr<SshLink> link(new SshLink(std::move(socket), std::move(target)));
    link->memory_ = std::make_unique<SshMemory>();
    link->memory_->owner = link.get();
    link->session_ = ::libssh2_session_init_ex(&SshMemory::allocate, &SshMemory::release, &SshMemory::reallocate,
                                               link->memory_.get());
    if (link->session_ == nullptr) return Error{Code::internal, "libssh2 has no memory for a session"};
    TRY(link->configure(key_types));
    return link;
}

Status SshLink::configure(const std::vector<std::string>& key_types) {
    ::libssh2_session_set_blocking(session_, 0);
    SshCallbacks::install(session_, LIBSSH2_CALLBACK_RECV, &SshCallbacks::receive);
    SshCallbacks::install(session_, LIBSSH2_CALLBACK_SEND, &SshCallbacks::send);
    SshCallbacks::install(session_, LIBSSH2_CALLBACK_DISCONNECT, &SshCallbacks::disconnect);
    struct Preference {
        int kind;
        std::string list;
    };
    const Preference preferences[] = {{LIBSSH2_METHOD_HOSTKEY, host_key_algorithms(key_types)},
                                      {LIBSSH2_METHOD_CRYPT_CS, k_ciphers},
                                      {LIBSSH2_METHOD_CRYPT_SC, k_ciphers},
                                      {LIBSSH2_METHOD_MAC_CS, k_macs},
                                      {LIBSSH2_METHOD_MAC_SC, k_macs}};
    for (const Preference& preference : preferences) {
        if (::libssh2_session_method_pref(session_, preference.kind, preference.list.c_str()) != 0) {
            return Error{Code::internal, "libssh2 knows none of " + preference.list};
        }
    }
    // The interval is ours to keep (offer_keepalive); an answer is always asked for.
    ::libssh2_keepalive_config(session_, 1, 1);
    return ok();
}

SshLink::~SshLink() {
    if (session_ == nullptr) return;
    if (!dead_) collect_retired();
    leave();
    while (::libssh2_session_free(session_) == LIBSSH2_ERROR_EAGAIN) {
        // With the socket gone every call fails at once, so this ends after a step or two for each channel.
    }
}

ssize_t SshLink::receive(void* buffer, std::size_t length) {
    if (dead_) return -ECONNRESET;
    const ssize_t count = ::recv(socket_.get(), buffer, length, 0);
    if (count > 0) {
        received_ += static_cast<std::uint64_t>(count);
        if (greeting_.size() < k_kept_greeting)
            greeting_.append(static_cast<const char*>(buffer), static_cast<std::size_t>(count));
        return count;
    }
    if (count == 0) {
        closed_ = true;
    } else if (!would_block(errno)) {
        socket_error_ = errno;
    }
    return -EAGAIN;
}

ssize_t SshLink::send(const void* buffer, std::size_t length) {
    if (dead_) return -ECONNRESET;
    out_.append(static_cast<const char*>(buffer), length);
    // Small packets go out together at the next flush; large ones need not pile up.
    if (backlog() >= (64U << 10U)) flush();
    return static_cast<ssize_t>(length);
}

void SshLink::flush() {
    while (backlog() > 0 && !dead_) {
        const ssize_t count = ::send(socket_.get(), out_.data() + out_at_, backlog(), k_send_flags);
        if (count < 0) {
            if (errno == EINTR) continue;
            // What the peer sent before it closed can still be read, so only the read side may declare the end.
            if (!would_block(errno)) {
                socket_error_ = errno;
                out_at_ = out_.size();
            }
            break;
        }
        sent_ += static_cast<std::uint64_t>(count);
        out_at_ += static_cast<std::size_t>(count);
    }
    if (out_at_ == out_.size()) {
        out_.clear();
        out_at_ = 0;
    } else if (out_at_ > (256U << 10U)) {
        out_.erase(0, out_at_);
        out_at_ = 0;
    }
}

int SshLink::handshake() {
    return ::libssh2_session_handshake(session_, socket_.get());
}

bool SshLink::alive() const {
    if (ended()) return false;
    char byte = 0;
    const ssize_t count = ::recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count > 0 || (count < 0 && would_block(errno));
}

void SshLink::kill() {
    dead_ = true;
    socket_.reset();
}

void SshLink::retire(LIBSSH2_CHANNEL* channel, bool ended) {
    has_retired_ = true;
    --live_;
    if (!ended && live_ == 0 && is_dropbear()) {
        leave();
        return;
    }
    retired_.push_back(channel);
    collect_retired();
    flush();
}

void SshLink::collect_retired() {
    std::erase_if(retired_,
                  [](LIBSSH2_CHANNEL* channel) { return ::libssh2_channel_free(channel) != LIBSSH2_ERROR_EAGAIN; });
}

// dropbear (2022.83) may fail an assertion and drop the whole connection when a channel is closed before its program
// has ended and another one is opened. Such a connection is not used again.
bool SshLink::is_dropbear() const {
    const char* banner = ::libssh2_session_banner_get(session_);
    return banner != nullptr && std::strstr(banner, "dropbear") != nullptr;
}

void SshLink::leave() {
    // Best effort: what the kernel takes now will be delivered, nothing is waited for.
    if (!ended()) {
        ::libssh2_session_disconnect(session_, "done");
        flush();
    }
    kill();
}

Result<int> SshLink::finish(const Op& op, SshPhase phase, const std::function<int()>& call) {
    quiet_since_ = op.clock.now();
    left_at_.reset();
    for (;;) {
        if (dead_) return error(phase, 0);
        const int code = call();
        flush();
        if (code != LIBSSH2_ERROR_EAGAIN) return code;
        Status waited = ended() ? Status(error(phase, 0)) : wait(op, actual(phase));
        if (!waited) {
            // libssh2 is in the middle of something that cannot be taken back.
            kill();
            return std::move(waited).error();
        }
    }
}

// Bytes the peer's kernel has taken. A slow uplink may need minutes to drain what it was given, and each piece that
// goes is a sign of life.
std::uint64_t SshLink::delivered() const {
#if defined(SIOCOUTQ)
    int queued = 0;
    if (socket_ && ::ioctl(socket_.get(), SIOCOUTQ, &queued) == 0 && queued > 0) {
        return sent_ - std::min<std::uint64_t>(sent_, static_cast<std::uint64_t>(queued));
    }
#endif
    return sent_;
}

// True when the silence has lasted too long; else `quiet` is how long it may still last.
bool SshLink::watch_silence(const Op& op, SshPhase phase, milliseconds& quiet) {
    // What a helper's session sends by itself, whatever the peer does (pings, credit), is less than this within any
    // stall limit, and a kernel takes it long after the program above it stopped: it proves nothing.
    constexpr std::uint64_t k_trickle = 4096;
    const Instant now = op.clock.now();
    // Time spent elsewhere was nobody's silence.
    if (left_at_) quiet_since_ += now - *left_at_;
    left_at_.reset();
    const std::uint64_t gone = delivered();
    if (received_ > heard_ || gone >= delivered_ + k_trickle) {
        quiet_since_ = now;
        keepalive_sent_ = false;
        heard_ = received_;
        delivered_ = gone;
    }
    const milliseconds limit = phase == SshPhase::greeting ? target_.limits.connect : target_.limits.stall;
    const auto silent = std::chrono::floor<milliseconds>(now - quiet_since_);
    if (silent >= limit) return true;
    quiet = limit - silent;
    if (phase != SshPhase::running || keepalive_sent_) return false;
    if (silent >= limit / 2) {
        offer_keepalive();
    } else {
        quiet = limit / 2 - silent;
    }
    return false;
}

void SshLink::offer_keepalive() {
    int next = 0;
    ::libssh2_keepalive_send(session_, &next);
    flush();
    keepalive_sent_ = true;
}

Status SshLink::wait(const Op& op, SshPhase phase) {
    const auto give_up = [&](Error error) -> Status {
        if (error.code == Code::cancelled) kill();
        return error;
    };
    if (Status checked = op.check(); !checked) return give_up(std::move(checked).error());
    if (dead_ || ended()) return error(phase, 0);
    collect_retired();
    flush();
    milliseconds quiet{0};
    if (watch_silence(op, phase, quiet)) {
        Error stalled = stalled_error(
            phase, phase == SshPhase::greeting ? target_.limits.connect : target_.limits.stall, greeting_, target_);
        kill();
        return stalled;
    }
    Wait wait(op);
    const int events = POLLIN | (backlog() > 0 ? POLLOUT : 0);
    wait.add(socket_.get(), static_cast<short>(events));
    wait.now(std::min(quiet, k_longest_wait));
    flush();
    left_at_ = op.clock.now();
    if (Status checked = op.check(); !checked) return give_up(std::move(checked).error());
    return ok();
}

// Until the server has named itself, it may be anything.
SshPhase SshLink::actual(SshPhase phase) const {
    const bool greeted = greeting_.find("SSH-") != std::string::npos;
    return phase == SshPhase::handshake && !greeted ? SshPhase::greeting : phase;
}

Error SshLink::error(SshPhase phase, int code) const {
    SshTrouble trouble;
    trouble.phase = actual(phase);
    trouble.code = code;
    trouble.greeting = greeting_;
    trouble.closed = closed_;
    trouble.socket_error = socket_error_;
    trouble.farewell = farewell_;
    char* words = nullptr;
    if (code != 0 && session_ != nullptr && ::libssh2_session_last_error(session_, &words, nullptr, 0) != 0 &&
        words != nullptr) {
        trouble.detail = words;
    }
    return ssh_error(trouble, target_);
}

}  // namespace drawhitch::transport
