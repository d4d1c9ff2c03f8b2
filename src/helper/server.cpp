#include "helper/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <utility>

#include "base/cancel.hpp"
#include "core/proto/limits.hpp"
#include "helper/handlers.hpp"
#include "helper/leaf_hasher.hpp"

namespace drawhitch::helper {

using proto::Frame;
using proto::MessageType;
using proto::Reason;

namespace {

// Frames that wait in the output before a job is held back: enough to keep a fast pipe full.
constexpr std::size_t k_output_high_water = 1U << 20U;

constexpr std::pair<MessageType, Handler> k_handlers[] = {
    {MessageType::open_root, handle_open_root},
    {MessageType::claim, handle_claim},
    {MessageType::probe_root, handle_probe_root},
    {MessageType::statvfs, handle_statvfs},
    {MessageType::stat, handle_stat},
    {MessageType::scan, handle_scan},
    {MessageType::hash, handle_hash},
    {MessageType::tree_hash, handle_tree_hash},
    {MessageType::read, handle_read},
    {MessageType::read_bundle, handle_read_bundle},
    {MessageType::read_small, handle_read_small},
    {MessageType::write, handle_write},
    {MessageType::write_bundle, handle_write_bundle},
    {MessageType::write_small, handle_write_small},
    {MessageType::commit, handle_commit},
    {MessageType::apply, handle_apply},
    {MessageType::sync, handle_sync},
    {MessageType::writers, handle_writers},
};

std::string first_line(const char* path) {
    const UniqueFd fd{::open(path, O_RDONLY | O_CLOEXEC)};
    std::string line(128, '\0');
    const ssize_t count = fd ? ::read(fd.get(), line.data(), line.size()) : 0;
    line.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return line.substr(0, line.find('\n'));
}

proto::Hello make_hello(const ServerOptions& options, const Clock& clock) {
    proto::Hello hello;
    hello.build_id = options.build_id;
    hello.arch = architecture();
    hello.pid = static_cast<std::uint32_t>(::getpid());
    hello.uid = static_cast<std::uint32_t>(::getuid());
    hello.boot_id = first_line("/proc/sys/kernel/random/boot_id");
    const WallTime wall = clock.wall();
    hello.wall_seconds = wall.seconds;
    hello.wall_nanoseconds = static_cast<std::uint32_t>(wall.nanoseconds);
    if (const char* home = std::getenv("HOME")) hello.home = std::string(home).substr(0, proto::k_path_max);
    hello.cores = usable_cores();
    hello.capabilities = proto::k_cap_writers | proto::k_cap_base;
    if (!options.cache_path.empty()) hello.capabilities |= proto::k_cap_digest_cache;
    hello.codecs = codec::supported();
    hello.push_credit = proto::k_push_credit;
    hello.requests_max = proto::k_requests_max;
    hello.silence_seconds = static_cast<std::uint32_t>(options.silence.count() / 1000);
    return hello;
}

}  // namespace

const char* architecture() {
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

struct Server::State {
    ServerOptions options{};
    Clock& clock;
    int in{-1};
    int out{-1};
    Channel channel;
    Roots roots{};
    codec::Codec codec{};
    DigestCache cache;
    Context context{channel, roots, clock, codec, cache};
    std::deque<Frame> inbox{};
    std::size_t inbox_control_bytes{0};
    std::size_t inbox_requests{0};
    std::uint32_t last_request{0};
    std::uint32_t active_request{0};
    JobPointer active{};
    bool waiting_for_credit{false};
    bool greeted{false};
    Instant last_frame{};

    State(int in_fd, int out_fd, ServerOptions opts, Clock& the_clock)
        : options(std::move(opts)),
          clock(the_clock),
          in(in_fd),
          out(out_fd),
          channel(in_fd, out_fd),
          cache(options.cache_path, the_clock) {}

    std::optional<Ended> take_input();
    std::optional<Ended> give_up(Reason reason, std::string text);
    std::optional<Ended> take_frame(Frame frame);
    std::optional<Ended> take_greeting(const Frame& frame);
    std::optional<Ended> take_ping(const Frame& frame);
    std::optional<Ended> take_more_credit(const Frame& frame);
    std::optional<Ended> enqueue(Frame frame);
    void cancel(std::uint32_t request);
    void start_next();
    void take_data(const Frame& frame);
    void take_write_end(const Frame& frame);
    void work();
    [[nodiscard]] bool runnable() const;
    [[nodiscard]] int wait_ms() const;
    std::optional<Ended> turn();
};

std::optional<Ended> Server::State::give_up(Reason reason, std::string text) {
    channel.send(0, proto::Fatal{reason, std::move(text)});
    // Best effort, without waiting: the client may be the reason.
    (void)channel.flush();
    return Ended::protocol;
}

std::optional<Ended> Server::State::take_input() {
    const Channel::Input got = channel.fill();
    if (got == Channel::Input::end) return Ended::finished;
    for (;;) {
        auto frame = channel.next();
        if (!frame) return give_up(Reason::framing, frame.error().message);
        if (!*frame) return std::nullopt;
        last_frame = clock.now();
        if (auto ended = take_frame(std::move(**frame))) return ended;
    }
}

std::optional<Ended> Server::State::take_frame(Frame frame) {
    if (!greeted) return take_greeting(frame);
    if (frame.type == MessageType::ping) return take_ping(frame);
    if (frame.type == MessageType::credit) return take_more_credit(frame);
    if (frame.type == MessageType::bye) return Ended::finished;
    if (frame.type == MessageType::fatal) return Ended::protocol;
    if (frame.type == MessageType::cancel) {
        cancel(frame.request);
        return std::nullopt;
    }
    if (frame.type == MessageType::data && !channel.take_credit(frame.payload.size())) {
        return give_up(Reason::credit, "data beyond the credit");
    }
    return enqueue(std::move(frame));
}

std::optional<Ended> Server::State::take_ping(const Frame& frame) {
    const auto ping = proto::decode<proto::Ping>(frame.payload);
    if (!ping) return give_up(Reason::malformed, "a malformed ping");
    // A client that pings without reading could fill our memory with answers.
    if (channel.pending() > 2 * k_output_high_water) return give_up(Reason::limit, "pings without reading");
    channel.send(0, proto::Pong{ping->token});
    return std::nullopt;
}

std::optional<Ended> Server::State::take_more_credit(const Frame& frame) {
    const auto credit = proto::decode<proto::Credit>(frame.payload);
    if (!credit) return give_up(Reason::malformed, "a malformed credit");
    channel.raise_send_limit(credit->limit);
    waiting_for_credit = false;
    return std::nullopt;
}

std::optional<Ended> Server::State::take_greeting(const Frame& frame) {
    const auto hello = proto::decode<proto::ClientHello>(frame.payload);
    if (frame.type != MessageType::client_hello || !hello) {
        return give_up(Reason::malformed, "the first frame must be a client_hello");
    }
    if (hello->version < proto::k_version_min || hello->version > proto::k_version_max) {
        return give_up(Reason::version, "this helper speaks protocol versions " + std::to_string(proto::k_version_min) +
                                            " to " + std::to_string(proto::k_version_max));
    }
    context.client_codecs = hello->codecs;
    channel.raise_send_limit(hello->pull_credit);
    if (hello->push_window != 0) channel.set_window(hello->push_window);
    greeted = true;
    return std::nullopt;
}

std::optional<Ended> Server::State::enqueue(Frame frame) {
    const bool continues = frame.type == MessageType::data || frame.type == MessageType::write_end;
    if (continues ? frame.request > last_request : frame.request <= last_request) {
        return give_up(Reason::malformed, "a request number out of order");
    }
    if (frame.type != MessageType::data) inbox_control_bytes += frame.payload.size() + proto::k_frame_overhead;
    if (!continues) {
        last_request = frame.request;
        ++inbox_requests;
    }
    inbox.push_back(std::move(frame));
    if (inbox_control_bytes > proto::k_inbox_max || inbox_requests > proto::k_requests_max) {
        return give_up(Reason::limit, "too many requests are waiting");
    }
    return std::nullopt;
}

void Server::State::cancel(std::uint32_t request) {
    bool found = active && active_request == request;
    if (found) active.reset();
    found = context.incoming.erase(request) > 0 || found;
    const auto waiting = std::find_if(inbox.begin(), inbox.end(), [request](const Frame& frame) {
        return frame.request == request && frame.type != MessageType::data && frame.type != MessageType::write_end;
    });
    if (waiting != inbox.end()) {
        inbox_control_bytes -= waiting->payload.size() + proto::k_frame_overhead;
        --inbox_requests;
        inbox.erase(waiting);
        found = true;
    }
    if (found) context.refuse(request, refuse(Reason::cancelled));
}

void Server::State::take_data(const Frame& frame) {
    const auto found = context.incoming.find(frame.request);
    if (found != context.incoming.end()) {
        Done taken = found->second->data(context, frame.payload);
        if (!taken) {
            context.incoming.erase(found);
            context.refuse(frame.request, std::move(taken).error());
        }
    }
    // Data of a request that failed or was cancelled has been on its way: it is dropped, and its credit returned.
    channel.give_back_credit(frame.payload.size());
}

void Server::State::take_write_end(const Frame& frame) {
    const auto found = context.incoming.find(frame.request);
    if (found == context.incoming.end()) return;
    const std::unique_ptr<Incoming> incoming = std::move(found->second);
    context.incoming.erase(found);
    const auto message = proto::decode<proto::WriteEnd>(frame.payload);
    Done ended = message ? incoming->end(context, *message) : Done{refuse(Reason::malformed)};
    if (!ended) context.refuse(frame.request, std::move(ended).error());
}

void Server::State::start_next() {
    const Frame frame = std::move(inbox.front());
    inbox.pop_front();
    if (frame.type == MessageType::data) return take_data(frame);
    inbox_control_bytes -= frame.payload.size() + proto::k_frame_overhead;
    if (frame.type == MessageType::write_end) return take_write_end(frame);
    --inbox_requests;
    const auto* row = std::find_if(std::begin(k_handlers), std::end(k_handlers),
                                   [&frame](const auto& candidate) { return candidate.first == frame.type; });
    if (row == std::end(k_handlers)) return context.refuse(frame.request, refuse(Reason::unknown_message));
    active = row->second(context, frame.request, frame.payload);
    active_request = frame.request;
    waiting_for_credit = false;
}

void Server::State::work() {
    if (!active) return start_next();
    switch (active->step(context)) {
        case Step::again:
            break;
        case Step::wait:
            waiting_for_credit = true;
            break;
        case Step::done:
            active.reset();
            break;
    }
}

bool Server::State::runnable() const {
    if (channel.pending() >= k_output_high_water) return false;
    return active ? !waiting_for_credit : !inbox.empty();
}

int Server::State::wait_ms() const {
    if (runnable()) return 0;
    const auto left = std::chrono::ceil<milliseconds>(last_frame + options.silence - clock.now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 60'000));
}

std::optional<Ended> Server::State::turn() {
    pollfd ends[2] = {{in, POLLIN, 0}, {out, static_cast<short>(channel.pending() > 0 ? POLLOUT : 0), 0}};
    ::poll(ends, 2, wait_ms());
    if (ends[0].revents != 0) {
        if (auto ended = take_input()) return ended;
    } else if (clock.now() - last_frame > options.silence) {
        // Only now: what the client sent while a step took long has been read by this point.
        return Ended::silence;
    }
    if ((ends[1].revents & (POLLERR | POLLNVAL)) != 0) return Ended::output;
    if (runnable()) work();
    if (!channel.flush()) return Ended::output;
    return std::nullopt;
}

Server::Server(int in, int out, ServerOptions options, Clock& clock)
    : state_(std::make_unique<State>(in, out, std::move(options), clock)) {}

Server::~Server() = default;

Ended Server::run() {
    (void)set_nonblocking(state_->in);   // a descriptor that refuses shows itself in the first read
    (void)set_nonblocking(state_->out);  // and write
    state_->channel.send_raw(proto::preamble(state_->options.nonce));
    state_->channel.send(0, make_hello(state_->options, state_->clock));
    state_->last_frame = state_->clock.now();
    for (;;) {
        if (auto ended = state_->turn()) return *ended;
    }
}

}  // namespace drawhitch::helper
