#include "io/transport/ssh_process.hpp"

#include <algorithm>

#include "io/transport/dial.hpp"

namespace drawhitch::transport {

namespace {

constexpr std::size_t k_read_bytes = 128U << 10U;  // well under a quarter of the window, or each read would re-open it
constexpr std::size_t k_write_bytes = 32'000;      // libssh2 makes one packet of at most 32,700
constexpr std::size_t k_most_backlog = 256U << 10U;

constexpr int k_stdout = 0;
constexpr int k_stderr = SSH_EXTENDED_DATA_STDERR;

}  // namespace

SshProcess::SshProcess(std::shared_ptr<SshLink> link, LIBSSH2_CHANNEL* channel)
    : link_(std::move(link)), channel_(channel) {
    number_ = link_->memory().opened().value_or(0);
    link_->memory().forget(number_);
    buffer_.resize(k_read_bytes);
    link_->engage();
}

SshProcess::~SshProcess() {
    link_->retire(channel_, ended_);
}

std::optional<std::chrono::nanoseconds> SshProcess::path_round_trip() const {
    if (link_->ended()) return std::nullopt;
    return transport::path_round_trip(link_->socket());
}

// libssh2 demands that a write it could not make is repeated with the very same bytes. They are kept here, so that no
// caller can get it wrong, and so that other channels may be used in between.
Result<bool> SshProcess::send_pending() {
    while (!pending_.empty()) {
        const ssize_t count = ::libssh2_channel_write_ex(channel_, k_stdout, pending_.data(), pending_.size());
        if (count == LIBSSH2_ERROR_EAGAIN || count == 0) return false;
        if (count < 0) {
            // The channel is closed for input: the program has ended. Its exit is on the way.
            const bool closed = count == LIBSSH2_ERROR_CHANNEL_CLOSED || count == LIBSSH2_ERROR_CHANNEL_EOF_SENT;
            if (!closed) return link_->error(SshPhase::running, static_cast<int>(count));
            pending_.clear();
            return true;
        }
        pending_.erase(0, static_cast<std::size_t>(count));
    }
    return true;
}

Result<std::size_t> SshProcess::send(std::string_view outgoing) {
    std::size_t taken = 0;
    for (;;) {
        TRY_ASSIGN(const bool clear, send_pending());
        if (!clear || taken == outgoing.size() || link_->backlog() > k_most_backlog) return taken;
        pending_.assign(outgoing.substr(taken, k_write_bytes));
        taken += pending_.size();
    }
}

Status SshProcess::send_end() {
    const int code = ::libssh2_channel_send_eof(channel_);
    if (code == LIBSSH2_ERROR_EAGAIN) return ok();
    end_sent_ = true;
    if (code != 0 && link_->ended()) return link_->error(SshPhase::running, code);
    return ok();
}

Result<bool> SshProcess::receive(int stream_id, Step& step) {
    const ssize_t count = ::libssh2_channel_read_ex(channel_, stream_id, buffer_.data(), buffer_.size());
    if (count > 0) {
        step.stream = stream_id == k_stdout ? Stream::out : Stream::err;
        step.received = std::string_view(buffer_).substr(0, static_cast<std::size_t>(count));
        return true;
    }
    if (count < 0 && count != LIBSSH2_ERROR_EAGAIN) return link_->error(SshPhase::running, static_cast<int>(count));
    return false;
}

// After both streams ended: the exit status comes before the peer closes the channel.
Result<bool> SshProcess::finished(Step& step) {
    if (::libssh2_channel_eof(channel_) != 1) return false;
    const int closed = ::libssh2_channel_wait_closed(channel_);
    if (closed == LIBSSH2_ERROR_EAGAIN && !link_->memory().has_exit(number_)) return false;
    if (closed != 0 && closed != LIBSSH2_ERROR_EAGAIN) return link_->error(SshPhase::running, closed);
    if (!link_->memory().has_exit(number_)) {
        return Error{Code::link_lost, Retry::reconnect,
                     link_->target().shown() + " ended the session without an exit status"}
            .because("the program's end is not known: the server or something in between gave up on it");
    }
    Exit exit;
    exit.code = ::libssh2_channel_get_exit_status(channel_);
    char* signal = nullptr;
    std::size_t length = 0;
    ::libssh2_channel_get_exit_signal(channel_, &signal, &length, nullptr, nullptr, nullptr, nullptr);
    if (signal != nullptr) {
        exit.signal.assign(signal, length);
        exit.code = 128;
        SshMemory::release(signal, nullptr);
    }
    step.exit = exit;
    ended_ = true;
    return true;
}

Result<Step> SshProcess::step(const Op& op, std::string_view outgoing, bool end_of_input) {
    for (;;) {
        // Before anything moves: what has moved must be told, or it is lost.
        TRY(op.check());
        Step step;
        TRY_ASSIGN(step.sent, send(outgoing));
        if (end_of_input && step.sent == outgoing.size() && pending_.empty() && !end_sent_) TRY(send_end());
        err_first_ = !err_first_;
        TRY_ASSIGN(bool moved, receive(err_first_ ? k_stderr : k_stdout, step));
        if (!moved) {
            TRY_ASSIGN(moved, receive(err_first_ ? k_stdout : k_stderr, step));
        }
        if (!moved && step.sent == 0) {
            TRY_ASSIGN(moved, finished(step));
        }
        link_->flush();
        if (moved || step.sent > 0) return step;
        TRY(link_->wait(op, SshPhase::running));
    }
}

}  // namespace drawhitch::transport
