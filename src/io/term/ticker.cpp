#include <condition_variable>

#include "io/term/sinks.hpp"

namespace drawhitch::term {

struct Ticker::State {
    std::mutex mutex{};
    std::condition_variable wake{};
    bool stop{false};
};

Ticker::Ticker(milliseconds every, std::function<void()> beat) : state_(std::make_unique<State>()) {
    thread_ = std::thread{[state = state_.get(), every, beat = std::move(beat)] {
        std::unique_lock lock{state->mutex};
        while (!state->wake.wait_for(lock, every, [state] { return state->stop; })) {
            lock.unlock();
            beat();
            lock.lock();
        }
    }};
}

Ticker::~Ticker() {
    {
        const std::lock_guard lock{state_->mutex};
        state_->stop = true;
    }
    state_->wake.notify_all();
    thread_.join();
}

}  // namespace drawhitch::term
