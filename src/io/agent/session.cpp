#include "io/agent/session.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "core/codec/codec.hpp"
#include "core/proto/limits.hpp"
#include "core/proto/refusal.hpp"

namespace drawhitch::agent {

using proto::Frame;
using proto::MessageType;

namespace {

constexpr std::size_t k_err_max = 4U << 10U;        // stderr kept for error texts
constexpr std::size_t k_outbox_high = 512U << 10U;  // frames queued before send_chunk waits for the transport
constexpr std::size_t k_inbox_max = 32U << 20U;     // control frames nobody has received yet
constexpr std::size_t k_shown = 200;                // of what a box said, in an error
constexpr std::uint64_t k_grants_a_window = 16;
constexpr std::uint64_t k_helper_grants_a_window = proto::k_push_grants;
// sshd lets a channel have 2 MiB in flight (OpenSSH, CHAN_SES_WINDOW_DEFAULT).
constexpr std::uint64_t k_push_in_flight = 2U << 20U;
constexpr std::uint64_t k_window_min = 2 * proto::k_data_payload_max;
// Less credit at a time would be mostly frames about credit.
constexpr std::uint64_t k_least_grant = 16U << 10U;
constexpr milliseconds k_ping_every{proto::k_ping_seconds * 1000};
constexpr milliseconds k_short_look{1};

std::string shown(std::string_view said) {
    const std::string_view text = trim(said);
    return printable(text.substr(text.size() - std::min(text.size(), k_shown)));
}

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

struct Session::State {
    std::unique_ptr<transport::Process> process{};
    SessionOptions options{};
    proto::Hello hello{};
    proto::FrameDecoder decoder{};
    std::deque<Incoming> inbox{};
    std::set<std::uint32_t> forgotten{};
    std::function<void(Instant)> heard{};
    std::function<void(Instant)> held{};
    std::optional<milliseconds> throttled{};  // for how long, since the last look
    bool brings_data{false};                  // something was asked for that comes as data
    std::size_t inbox_control_bytes{0};
    std::string outbox{};
    std::size_t out_at{0};
    std::string err{};
    Traffic traffic{};
    std::optional<transport::Exit> exit{};
    std::optional<Error> dead{};
    Instant last_queued{};
    Instant looked_at{};  // the clock, at the last pump
    std::uint32_t last_request{0};
    std::uint64_t send_limit{0};   // push credit, cumulative
    std::uint64_t send_window{0};  // how far it was ahead of what the helper has consumed when it was granted
    proto::FlowWindow push_flow{k_push_in_flight};
    std::uint64_t granted{0};   // pull credit, cumulative
    std::uint64_t consumed{0};  // data payload handed to the caller
    std::uint64_t ping_token{0};
    std::uint64_t pong_token{0};
    Instant pinged_at{};  // when the newest ping was queued
    std::optional<std::chrono::nanoseconds> round_trip{};

    [[nodiscard]] std::size_t unsent() const { return outbox.size() - out_at; }
    void queue(MessageType type, std::uint32_t request, std::string_view payload);
    Error die(Error error);
    Result<transport::Step> move(const Op& op, bool end_of_input);
    Status pump(const Op& op);
    void ping(Instant now);
    Status take(Instant now, Frame frame);
    Status take_data(Frame frame);
    Status take_frames(Instant now, std::string_view bytes);
    void grant();
    std::uint64_t allowed(std::uint64_t wanted);
    bool may_send(Instant now, std::uint64_t bytes);
    void take_credit(Instant now, std::uint64_t limit);
    [[nodiscard]] std::uint64_t in_flight() const;
    Status await_hello(const Op& op, std::string_view nonce);
    Error no_helper(const proto::PreambleFinder& finder, bool ended) const;
    Status greet(const Op& op);
};

void Session::State::queue(MessageType type, std::uint32_t request, std::string_view payload) {
    if (type == MessageType::data) traffic.data_sent += payload.size();
    proto::append_frame(outbox, type, request, payload);
}

// Every later call fails alike: after a violation nothing that follows can be trusted.
Error Session::State::die(Error error) {
    if (!dead) dead = error;
    return error;
}

// One step of the process; keeps the books of both streams. Out bytes are in the result for the caller.
Result<transport::Step> Session::State::move(const Op& op, bool end_of_input) {
    auto step = process->step(op, std::string_view(outbox).substr(out_at), end_of_input);
    if (!step) return std::move(step).error();
    out_at += step->sent;
    traffic.sent += step->sent;
    if (out_at == outbox.size()) {
        outbox.clear();
        out_at = 0;
    } else if (out_at > k_outbox_high) {
        outbox.erase(0, out_at);
        out_at = 0;
    }
    traffic.received += step->received.size();
    if (heard && !step->received.empty()) heard(op.clock.now());
    if (step->stream == transport::Stream::err) {
        err.append(step->received);
        if (err.size() > k_err_max) err.erase(0, err.size() - k_err_max);
        step->received = {};
    }
    if (step->exit) exit = step->exit;
    return step;
}

Status Session::State::pump(const Op& op) {
    TRY(op.check());
    if (dead) return *dead;
    const Instant now = op.clock.now();
    looked_at = now;
    if (options.throttle) grant();
    const milliseconds patience = std::min(k_ping_every, std::exchange(throttled, {}).value_or(k_ping_every));
    if (now - last_queued >= k_ping_every && unsent() == 0) {
        ping(now);
        last_queued = now;
    }
    auto step = move(op.within(patience), false);
    if (!step) {
        // The short deadline is ours, to get round to the next ping or what the throttle lets through by then; the
        // caller's own is still to come.
        if (step.error().code == Code::deadline) return op.check();
        return step.error().code == Code::cancelled ? std::move(step).error() : die(std::move(step).error());
    }
    if (step->sent > 0) last_queued = now;
    TRY(take_frames(op.clock.now(), step->received));
    if (exit && inbox.empty()) {
        Error ended{Code::link_lost, Retry::reconnect, "the helper on the box ended"};
        ended.why = exit->signal.empty() ? "its exit code was " + std::to_string(exit->code)
                                         : "signal " + printable(exit->signal) + " ended it";
        if (!err.empty()) ended.why += "; it said: " + shown(err);
        return die(std::move(ended));
    }
    return ok();
}

void Session::State::ping(Instant now) {
    queue(MessageType::ping, 0, proto::encode(proto::Ping{++ping_token}));
    pinged_at = now;
}

Status Session::State::take_frames(Instant now, std::string_view bytes) {
    decoder.feed(bytes);
    for (;;) {
        auto frame = decoder.next();
        if (!frame) return die(std::move(frame).error());
        if (!*frame) return ok();
        if (auto taken = take(now, std::move(**frame)); !taken) return die(std::move(taken).error());
    }
}

Status Session::State::take(Instant now, Frame frame) {
    if (frame.type == MessageType::data) return take_data(std::move(frame));
    if (frame.type == MessageType::pong) {
        TRY_ASSIGN(const proto::Pong pong, proto::decode<proto::Pong>(frame.payload));
        pong_token = pong.token;
        const std::chrono::nanoseconds took = now - pinged_at;
        if (pong.token == ping_token && (!round_trip || took < *round_trip)) round_trip = took;
        if (round_trip) push_flow.round_trip(round_trip->count());
        return ok();
    }
    if (frame.type == MessageType::credit) {
        TRY_ASSIGN(const proto::Credit credit, proto::decode<proto::Credit>(frame.payload));
        take_credit(now, credit.limit);
        return ok();
    }
    if (frame.type == MessageType::fatal) {
        TRY_ASSIGN(const proto::Fatal fatal, proto::decode<proto::Fatal>(frame.payload));
        return proto::to_error(proto::Refusal{fatal.reason, 0, {}, fatal.text, 0, {}}, "go on with the helper");
    }
    if (frame.request == 0 || frame.request > last_request) {
        return Error{Code::protocol, Retry::reconnect, "the helper answers a request that was never made"};
    }
    if (forgotten.contains(frame.request)) return ok();
    inbox_control_bytes += frame.payload.size();
    if (inbox_control_bytes > k_inbox_max) {
        return Error{Code::protocol, Retry::reconnect, "the helper sends more than was asked for"};
    }
    inbox.push_back(Incoming{frame.request, frame.type, std::move(frame.payload)});
    return ok();
}

// Each grant tells how much the helper has consumed.
void Session::State::take_credit(Instant now, std::uint64_t limit) {
    if (limit <= send_limit) return;
    push_flow.arrived(now.time_since_epoch().count(), limit - send_limit);
    if (const auto path = process->path_round_trip()) push_flow.queued_round_trip(path->count());
    send_limit = limit;
}

std::uint64_t Session::State::in_flight() const {
    const std::uint64_t consumed_there = send_limit - std::min(send_limit, send_window);
    return traffic.data_sent - std::min(traffic.data_sent, consumed_there);
}

Status Session::State::take_data(Frame frame) {
    traffic.data_received += frame.payload.size();
    if (traffic.data_received > granted || frame.request == 0 || frame.request > last_request) {
        return Error{Code::protocol, Retry::reconnect, "the helper sends data it was not granted"};
    }
    if (forgotten.contains(frame.request)) {
        consumed += frame.payload.size();
        grant();
        return ok();
    }
    inbox.push_back(Incoming{frame.request, frame.type, std::move(frame.payload)});
    return ok();
}

// How much of it the throttle lets through. Where no data can come anyway, nothing is taken from others.
std::uint64_t Session::State::allowed(std::uint64_t wanted) {
    if (!options.throttle) return wanted;
    if (!brings_data) return 0;
    const std::uint64_t least = std::min(wanted, k_least_grant);
    const std::uint64_t taken = options.throttle->take(looked_at, least, wanted);
    if (taken > 0) return taken;
    throttled = options.throttle->wait_for(looked_at, least);
    const bool has_frame = granted - traffic.data_received >= proto::k_data_payload_max;
    if (held && !has_frame) held(looked_at);
    return 0;
}

bool Session::State::may_send(Instant now, std::uint64_t bytes) {
    if (!options.throttle || options.throttle->take(now, bytes, bytes) > 0) return true;
    throttled = options.throttle->wait_for(now, bytes);
    if (held) held(now);
    return false;
}

// Few frames, but no sender that waits for what has long come.
void Session::State::grant() {
    const std::uint64_t window = std::max(options.pull_window, k_window_min);
    if (consumed + window < granted + window / k_grants_a_window) return;
    const std::uint64_t more = allowed(consumed + window - granted);
    if (more == 0) return;
    granted += more;
    queue(MessageType::credit, 0, proto::encode(proto::Credit{granted}));
}

Error Session::State::no_helper(const proto::PreambleFinder& finder, bool ended) const {
    const std::string said = err + finder.noise();
    Error error{Code::shell_missing, ended ? "the box ended the helper before it spoke" : "the helper does not answer"};
    if (ended && (holds(said, "ermission denied") || holds(said, "xec format") || exit->code == 126)) {
        error = Error{Code::noexec, "the box does not execute the helper"};
    } else if (ended && (exit->code == 127 || holds(said, "o such file") || holds(said, "not found"))) {
        error = Error{Code::not_found, "the helper is not where it was"};
    }
    if (!said.empty()) error.why = "the box said: " + shown(said);
    return error;
}

Status Session::State::await_hello(const Op& op, std::string_view nonce) {
    proto::PreambleFinder finder(nonce);
    const Op patient = op.within(options.hello_timeout);
    for (bool found = false; !found;) {
        auto step = move(patient, false);
        if (!step && step.error().code == Code::deadline && op.check()) return no_helper(finder, false);
        if (!step) return std::move(step).error();
        auto fed = finder.feed(step->received);
        if (!fed) return no_helper(finder, false);
        found = *fed;
        if (!found && exit) return no_helper(finder, true);
    }
    decoder.feed(finder.take_rest());
    for (;;) {
        TRY_ASSIGN(auto frame, decoder.next());
        if (frame) {
            if (frame->type != MessageType::hello) return Error{Code::protocol, "the helper does not say hello"};
            TRY_ASSIGN(hello, proto::decode<proto::Hello>(frame->payload));
            return ok();
        }
        if (exit) return no_helper(finder, true);
        auto step = move(patient, false);
        if (!step && step.error().code == Code::deadline && op.check()) return no_helper(finder, false);
        if (!step) return std::move(step).error();
        decoder.feed(step->received);
    }
}

Status Session::State::greet(const Op& op) {
    const std::uint16_t version = std::min(proto::k_version_max, hello.version_max);
    if (version < std::max(proto::k_version_min, hello.version_min)) {
        Error error{Code::protocol, "this program and the helper on the box speak no common protocol version"};
        error.why = "the helper speaks " + std::to_string(hello.version_min) + " to " +
                    std::to_string(hello.version_max) + ", this program " + std::to_string(proto::k_version_min) +
                    " to " + std::to_string(proto::k_version_max);
        return error;
    }
    send_limit = send_window = hello.push_credit;
    granted = options.throttle ? 0 : std::max(options.pull_window, k_window_min);
    const proto::ClientHello mine{version, options.build_id, codec::supported(), granted, options.push_window};
    queue(MessageType::client_hello, 0, proto::encode(mine));
    last_queued = op.clock.now();
    round_trip = process->path_round_trip();
    if (round_trip) push_flow.round_trip(round_trip->count());
    ping(last_queued);
    return ok();
}

Session::Session() : state_(std::make_unique<State>()) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::start(const Op& op, std::unique_ptr<transport::Process> process,
                                                std::string_view nonce, const SessionOptions& options) {
    std::unique_ptr<Session> session(new Session);
    session->state_->process = std::move(process);
    session->state_->options = options;
    TRY(session->state_->await_hello(op, nonce));
    TRY(session->state_->greet(op));
    return session;
}

const proto::Hello& Session::hello() const {
    return state_->hello;
}

const Traffic& Session::traffic() const {
    return state_->traffic;
}

std::uint32_t Session::submit_payload(MessageType type, std::string_view payload) {
    const std::uint32_t request = ++state_->last_request;
    state_->brings_data |= type == MessageType::read || type == MessageType::read_bundle;
    state_->queue(type, request, payload);
    return request;
}

void Session::queue_frame(MessageType type, std::uint32_t request, std::string_view payload) {
    state_->queue(type, request, payload);
}

void Session::on_heard(std::function<void(Instant)> heard) {
    state_->heard = std::move(heard);
}

void Session::on_held(std::function<void(Instant)> held) {
    state_->held = std::move(held);
}

void Session::forget(std::uint32_t request) {
    state_->forgotten.insert(request);
    std::erase_if(state_->inbox, [&](const Incoming& frame) {
        if (frame.request != request) return false;
        if (frame.type == MessageType::data) {
            state_->consumed += frame.payload.size();
        } else {
            state_->inbox_control_bytes -= frame.payload.size();
        }
        return true;
    });
    state_->grant();
}

void Session::cancel(std::uint32_t request) {
    state_->queue(MessageType::cancel, request, {});
}

std::uint64_t Session::push_credit() const {
    const State& state = *state_;
    const std::uint64_t granted = state.send_limit - std::min(state.send_limit, state.traffic.data_sent);
    // The helper tells what it has consumed in steps: what it has not told yet must not keep a whole frame back.
    const std::uint64_t least = state.send_window / k_helper_grants_a_window + proto::k_data_payload_max;
    const std::uint64_t window = std::max(state.push_flow.window(), least);
    return std::min(granted, window - std::min(window, state.in_flight()));
}

bool Session::push_held_back() const {
    return state_->push_flow.held_back();
}

Status Session::send_chunk(const Op& op, std::uint32_t request, proto::EncodedChunk chunk) {
    proto::Fragmenter fragments(std::move(chunk));
    if (state_->in_flight() < state_->send_window / k_helper_grants_a_window) state_->push_flow.paused();
    while (!fragments.done()) {
        const std::uint64_t size = fragments.next_size();
        while (size > push_credit() || state_->unsent() > k_outbox_high || !state_->may_send(op.clock.now(), size))
            TRY(state_->pump(op));
        state_->queue(MessageType::data, request, fragments.next());
    }
    return ok();
}

std::optional<Incoming> Session::poll() {
    if (state_->inbox.empty()) return std::nullopt;
    Incoming frame = std::move(state_->inbox.front());
    state_->inbox.pop_front();
    if (frame.type == MessageType::data) {
        state_->consumed += frame.payload.size();
        state_->grant();
    } else {
        state_->inbox_control_bytes -= frame.payload.size();
    }
    return frame;
}

Result<Incoming> Session::receive(const Op& op) {
    while (state_->inbox.empty())
        TRY(state_->pump(op));
    return std::move(*poll());
}

Status Session::keep_alive(const Op& op) {
    auto pumped = state_->pump(op.within(k_short_look));
    if (!pumped && pumped.error().code == Code::deadline) return op.check();
    return pumped;
}

void Session::set_pull_window(std::uint64_t bytes) {
    state_->options.pull_window = bytes;
    state_->grant();
}

std::optional<std::chrono::nanoseconds> Session::round_trip() const {
    return state_->round_trip;
}

std::optional<std::chrono::nanoseconds> Session::path_round_trip() const {
    return state_->process->path_round_trip();
}

Result<milliseconds> Session::ping(const Op& op) {
    const Instant start = op.clock.now();
    state_->ping(start);
    const std::uint64_t token = state_->ping_token;
    while (state_->pong_token < token)
        TRY(state_->pump(op));
    return std::chrono::duration_cast<milliseconds>(op.clock.now() - start);
}

Result<transport::Exit> Session::close(const Op& op) {
    state_->queue(MessageType::bye, 0, {});
    while (!state_->exit)
        TRY(state_->move(op, true));
    state_->dead = Error{Code::link_lost, "the helper was closed"};
    return *state_->exit;
}

}  // namespace drawhitch::agent
