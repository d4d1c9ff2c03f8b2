#include "core/model/words.hpp"

namespace drawhitch::model {

namespace {

constexpr std::array k_transport_kind{
    Word<TransportKind>{TransportKind::automatic, "auto"},
    Word<TransportKind>{TransportKind::ssh, "ssh"},
    Word<TransportKind>{TransportKind::openssh, "openssh"},
    Word<TransportKind>{TransportKind::local, "local"},
};
constexpr std::array k_platform_kind{
    Word<PlatformKind>{PlatformKind::container, "container"}, Word<PlatformKind>{PlatformKind::vm, "vm"},
    Word<PlatformKind>{PlatformKind::bare, "bare"},           Word<PlatformKind>{PlatformKind::scheduler, "scheduler"},
    Word<PlatformKind>{PlatformKind::notebook, "notebook"},   Word<PlatformKind>{PlatformKind::owned, "owned"},
};
constexpr std::array k_confidence{
    Word<Confidence>{Confidence::a, "A"},
    Word<Confidence>{Confidence::b, "B"},
    Word<Confidence>{Confidence::c, "C"},
    Word<Confidence>{Confidence::d, "D"},
};
constexpr std::array k_verb{
    Word<Verb>{Verb::stop, "stop"},
    Word<Verb>{Verb::terminate, "terminate"},
    Word<Verb>{Verb::hibernate, "hibernate"},
    Word<Verb>{Verb::park, "park"},
};
constexpr std::array k_downtime{
    Word<Downtime>{Downtime::restart, "restart"},
    Word<Downtime>{Downtime::stop, "stop"},
    Word<Downtime>{Downtime::terminate, "terminate"},
};
constexpr std::array k_storage_role{
    Word<StorageRole>{StorageRole::scratch, "scratch"},
    Word<StorageRole>{StorageRole::data, "data"},
    Word<StorageRole>{StorageRole::durable, "durable"},
    Word<StorageRole>{StorageRole::volatile_memory, "volatile"},
};
constexpr std::array k_storage_scope{
    Word<StorageScope>{StorageScope::instance, "instance"},
    Word<StorageScope>{StorageScope::machine, "machine"},
    Word<StorageScope>{StorageScope::datacenter, "datacenter"},
    Word<StorageScope>{StorageScope::region, "region"},
    Word<StorageScope>{StorageScope::zone, "zone"},
    Word<StorageScope>{StorageScope::account, "account"},
    Word<StorageScope>{StorageScope::offbox, "offbox"},
};
constexpr std::array k_meter{
    Word<Meter>{Meter::compute, "compute"},
    Word<Meter>{Meter::disk, "disk"},
};
constexpr std::array k_restart_risk{
    Word<RestartRisk>{RestartRisk::none, "none"},
    Word<RestartRisk>{RestartRisk::gpu_may_be_lost, "gpu_may_be_lost"},
    Word<RestartRisk>{RestartRisk::new_host, "new_host"},
};
constexpr std::array k_clock_start{
    Word<ClockStart>{ClockStart::stopped, "stopped"},
    Word<ClockStart>{ClockStart::expired, "expired"},
    Word<ClockStart>{ClockStart::balance_zero, "balance_zero"},
    Word<ClockStart>{ClockStart::balance_low, "balance_low"},
    Word<ClockStart>{ClockStart::created, "created"},
    Word<ClockStart>{ClockStart::arrears, "arrears"},
    Word<ClockStart>{ClockStart::walltime, "walltime"},
};
constexpr std::array k_clock_effect_kind{
    Word<ClockEffectKind>{ClockEffectKind::release, "release"},
    Word<ClockEffectKind>{ClockEffectKind::stop, "stop"},
    Word<ClockEffectKind>{ClockEffectKind::wipe, "wipe"},
    Word<ClockEffectKind>{ClockEffectKind::terminate, "terminate"},
};
constexpr std::array k_spot_outcome{
    Word<SpotOutcome>{SpotOutcome::stopped, "stopped"},
    Word<SpotOutcome>{SpotOutcome::terminated, "terminated"},
};
constexpr std::array k_detach_driver{
    Word<DetachDriver>{DetachDriver::systemd_run, "systemd-run"}, Word<DetachDriver>{DetachDriver::tmux, "tmux"},
    Word<DetachDriver>{DetachDriver::setsid, "setsid"},           Word<DetachDriver>{DetachDriver::nohup, "nohup"},
    Word<DetachDriver>{DetachDriver::sbatch, "sbatch"},
};
constexpr std::array k_cuda_source{
    Word<CudaSource>{CudaSource::offer, "offer"},
    Word<CudaSource>{CudaSource::image, "image"},
    Word<CudaSource>{CudaSource::stack, "stack"},
    Word<CudaSource>{CudaSource::measure, "measure"},
};
constexpr std::array k_gotcha_when{
    Word<GotchaWhen>{GotchaWhen::always, "always"},     Word<GotchaWhen>{GotchaWhen::preflight, "preflight"},
    Word<GotchaWhen>{GotchaWhen::create, "create"},     Word<GotchaWhen>{GotchaWhen::ready, "ready"},
    Word<GotchaWhen>{GotchaWhen::run, "run"},           Word<GotchaWhen>{GotchaWhen::pull, "pull"},
    Word<GotchaWhen>{GotchaWhen::teardown, "teardown"}, Word<GotchaWhen>{GotchaWhen::status, "status"},
};
constexpr std::array k_gotcha_act{
    Word<GotchaAct>{GotchaAct::warn, "warn"},
    Word<GotchaAct>{GotchaAct::refuse, "refuse"},
    Word<GotchaAct>{GotchaAct::retry, "retry"},
    Word<GotchaAct>{GotchaAct::recreate, "recreate"},
    Word<GotchaAct>{GotchaAct::next_offer, "next_offer"},
    Word<GotchaAct>{GotchaAct::reread_endpoint, "reread_endpoint"},
    Word<GotchaAct>{GotchaAct::relaunch, "relaunch"},
    Word<GotchaAct>{GotchaAct::require_pull, "require_pull"},
    Word<GotchaAct>{GotchaAct::resend, "resend"},
    Word<GotchaAct>{GotchaAct::sweep, "sweep"},
    Word<GotchaAct>{GotchaAct::ignore, "ignore"},
};
constexpr std::array k_outside_links{
    Word<OutsideLinks>{OutsideLinks::skip, "skip"},
    Word<OutsideLinks>{OutsideLinks::copy, "copy"},
    Word<OutsideLinks>{OutsideLinks::follow, "follow"},
};
constexpr std::array k_special_files{
    Word<SpecialFiles>{SpecialFiles::warn, "warn"},
    Word<SpecialFiles>{SpecialFiles::error, "error"},
};
constexpr std::array k_color{
    Word<Color>{Color::automatic, "auto"},
    Word<Color>{Color::always, "always"},
    Word<Color>{Color::never, "never"},
};

}  // namespace

template <>
std::span<const Word<TransportKind>> words() {
    return k_transport_kind;
}
template <>
std::span<const Word<PlatformKind>> words() {
    return k_platform_kind;
}
template <>
std::span<const Word<Confidence>> words() {
    return k_confidence;
}
template <>
std::span<const Word<Verb>> words() {
    return k_verb;
}
template <>
std::span<const Word<Downtime>> words() {
    return k_downtime;
}
template <>
std::span<const Word<StorageRole>> words() {
    return k_storage_role;
}
template <>
std::span<const Word<StorageScope>> words() {
    return k_storage_scope;
}
template <>
std::span<const Word<Meter>> words() {
    return k_meter;
}
template <>
std::span<const Word<RestartRisk>> words() {
    return k_restart_risk;
}
template <>
std::span<const Word<ClockStart>> words() {
    return k_clock_start;
}
template <>
std::span<const Word<ClockEffectKind>> words() {
    return k_clock_effect_kind;
}
template <>
std::span<const Word<SpotOutcome>> words() {
    return k_spot_outcome;
}
template <>
std::span<const Word<DetachDriver>> words() {
    return k_detach_driver;
}
template <>
std::span<const Word<CudaSource>> words() {
    return k_cuda_source;
}
template <>
std::span<const Word<GotchaWhen>> words() {
    return k_gotcha_when;
}
template <>
std::span<const Word<GotchaAct>> words() {
    return k_gotcha_act;
}
template <>
std::span<const Word<OutsideLinks>> words() {
    return k_outside_links;
}
template <>
std::span<const Word<SpecialFiles>> words() {
    return k_special_files;
}
template <>
std::span<const Word<Color>> words() {
    return k_color;
}

}  // namespace drawhitch::model
