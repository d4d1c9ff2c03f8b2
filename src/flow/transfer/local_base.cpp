#include "flow/transfer/local_base.hpp"

#include <utility>

#include "core/proto/limits.hpp"

namespace drawhitch::flow {

std::shared_ptr<LocalBase> LocalBase::open(const disk::Root& destination, const std::shared_ptr<const PullBase>& base) {
    if (!base) return nullptr;
    auto fd = destination.read_file(base->local);
    if (!fd) return nullptr;
    return std::shared_ptr<LocalBase>(new LocalBase(std::move(*fd), base));
}

std::string LocalBase::chunk(std::uint32_t index) const {
    std::string bytes(proto::k_chunk, '\0');
    const auto count = pread_full(fd_.get(), bytes, std::uint64_t{index} * proto::k_chunk, base_->local);
    bytes.resize(count ? *count : 0);
    return bytes;
}

}  // namespace drawhitch::flow
