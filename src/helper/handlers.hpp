// One function per request, one file per family. Each answers at once, or returns the Job that will.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "helper/job.hpp"

namespace drawhitch::helper {

using JobPointer = std::unique_ptr<Job>;
using Handler = JobPointer (*)(Context& context, std::uint32_t request, std::string_view payload);

JobPointer handle_open_root(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_claim(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_probe_root(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_statvfs(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_stat(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_scan(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_hash(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_tree_hash(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_read(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_read_bundle(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_read_small(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_write(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_write_bundle(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_write_small(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_commit(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_apply(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_sync(Context& context, std::uint32_t request, std::string_view payload);
JobPointer handle_writers(Context& context, std::uint32_t request, std::string_view payload);

// Decodes `payload` and lets `make` turn it into a job or an immediate refusal.
template <class Message, class Make>
JobPointer start_job(Context& context, std::uint32_t request, std::string_view payload, Make make) {
    auto message = proto::decode<Message>(payload);
    if (!message) {
        context.refuse(request, refuse(proto::Reason::malformed));
        return nullptr;
    }
    Outcome<JobPointer> job = make(std::move(*message));
    if (job) return std::move(job).value();
    context.refuse(request, std::move(job).error());
    return nullptr;
}

// Decodes `payload` and answers with what `serve` returns.
template <class Message, class Serve>
JobPointer answer_at_once(Context& context, std::uint32_t request, std::string_view payload, Serve serve) {
    auto message = proto::decode<Message>(payload);
    if (!message) {
        context.refuse(request, refuse(proto::Reason::malformed));
        return nullptr;
    }
    auto answer = serve(*message);
    if (answer) {
        context.answer(request, *answer);
    } else {
        context.refuse(request, std::move(answer).error());
    }
    return nullptr;
}

}  // namespace drawhitch::helper
