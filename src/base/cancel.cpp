#include "base/cancel.hpp"

#include <unistd.h>

namespace drawhitch {

Cancel::Cancel() {
    // Without descriptors left the token still works by `requested`; only the wake-up of a poll is lost.
    if (auto made = make_pipe()) {
        read_end_ = std::move(made->read);
        write_end_ = std::move(made->write);
        (void)set_nonblocking(write_end_.get());  // best effort: the pipe holds one byte in its life
    }
}

Cancel::Cancel(const Cancel* parent) : Cancel() {
    parent_ = parent;
}

void Cancel::request() noexcept {
    if (requested_.exchange(true)) return;
    const char byte = 1;
    [[maybe_unused]] const ssize_t count = ::write(write_end_.get(), &byte, 1);
}

// The one of the process is what the signal thread looks at.
void Cancel::hold(int change) const noexcept {
    holds_.fetch_add(change);
    if (parent_ != nullptr) parent_->hold(change);
}

}  // namespace drawhitch
