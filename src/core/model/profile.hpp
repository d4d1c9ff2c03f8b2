// Profile: the facts about one platform, as profiles/<id>.toml states them (docs/profiles.md explains every key).
// Values only: config/load_profile.hpp makes one from text and checks it; nothing here decides anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/lease.hpp"

namespace drawhitch::model {

enum class PlatformKind { container, vm, bare, scheduler, notebook, owned };

// How well a fact is known: A read in the provider's documentation, B the field's experience, C from third-party code,
// D a guess.
enum class Confidence { a, b, c, d };

// A calendar day, UTC.
struct Date {
    int year{1970};
    int month{1};
    int day{1};
    auto operator<=>(const Date&) const = default;
};

struct Platform {
    std::string id{};  // [a-z0-9-]+, the file's name
    std::string name{};
    PlatformKind kind{PlatformKind::bare};
    std::string version{};  // shown in receipts
    Date verified_on{};
    int max_age_d{365};  // days after which the facts no longer count for unattended destruction
    Confidence confidence{Confidence::d};
    std::string currency{"USD"};
};

struct SshFacts {
    TransportKind transport{TransportKind::automatic};
    std::string user{};  // "" = none known: the endpoint or the user's ssh configuration names it
    int port{22};
    int keepalive_s{60};
};

// The money verbs of a platform, and the events storage tiers survive (restart is one of those only).
enum class Verb { stop, terminate, hibernate, park };
enum class Downtime { restart, stop, terminate };

enum class StorageRole {
    scratch,
    data,
    durable,
    volatile_memory,  // lives in RAM: secrets may lie there, and nothing else should
};
enum class StorageScope { instance, machine, datacenter, region, zone, account, offbox };

// One storage tier. What it does not list in `survives` is destroyed by that event.
struct Storage {
    std::string name{};
    std::string path{};  // absolute or "~…" on the box; "" = off the box
    std::vector<StorageRole> role{};
    std::vector<Downtime> survives{};
    double wiped_after_stop_h{0};  // 0 = never
    StorageScope scope{StorageScope::instance};
    std::int64_t inode_cap{0};   // 0 = unknown: measured
    double price_gb_month{-1};   // GB = 10^9 bytes; -1 = unknown
    double stopped_factor{1.0};  // price factor while stopped; -1 = higher, unknown
    bool bills_after_destroy{false};
    bool shared_writers_safe{false};
    bool secrets_ok{true};
};

// Places on the box. "~" at the start means the login user's home there. Each lies on a declared storage tier.
struct Paths {
    std::string data_dir{};              // the platform's mount; drawhitch adds drawhitch/<project>
    std::string durable_dir{};           // "" = none: teardown always demands a verified pull
    std::string volatile_dir{};          // for secrets; "" = found by probing
    std::vector<std::string> scratch{};  // roster patterns of what a resume never needs
};

enum class Meter { compute, disk };
enum class RestartRisk { none, gpu_may_be_lost, new_host };

// What one verb does to money and data.
struct MeterVerb {
    Verb name{Verb::terminate};
    std::vector<Meter> stops{};
    std::vector<std::string> destroys{};  // storage tiers by name
    bool reversible{false};
    RestartRisk restart_risk{RestartRisk::none};
    std::vector<std::string> leaves_billing{};  // side meters, in words
    std::string manual{};  // what to do by hand, for a platform without an API ("" = nothing known)
};

struct Metering {
    int grain_s{60};
    bool os_poweroff_stops{false};
    double egress_gb{0};  // price per GB; -1 = unknown
    double ingress_gb{0};
    double forgotten_warn_h{24};
    std::vector<MeterVerb> verbs{};  // `terminate` is always there
};

enum class ClockStart { stopped, expired, balance_zero, balance_low, created, arrears, walltime };
enum class ClockEffectKind { release, stop, wipe, terminate };

// A danger clock: something the platform does by itself after a while.
struct DangerClock {
    std::string name{};
    ClockStart starts_on{ClockStart::stopped};
    double after_h{-1};  // 0 = at once, -1 = unknown
    ClockEffectKind effect{ClockEffectKind::release};
    std::string wiped{};  // the storage tier of a `wipe`
    std::vector<std::string> spares{};
    double warn_before_h{48};
    std::string src{};
    Confidence confidence{Confidence::d};
};

enum class SpotOutcome { stopped, terminated };
struct Spot {
    bool offered{false};
    double notice_s{0};
    std::string signal{};  // without SIG; "" = none is sent
    SpotOutcome outcome{SpotOutcome::terminated};
};

enum class DetachDriver { systemd_run, tmux, setsid, nohup, sbatch };

enum class CudaSource { offer, image, stack, measure };
struct Cuda {
    CudaSource source{CudaSource::measure};
    std::vector<std::string> arch{"x86_64"};
};

struct Limits {
    int ready_timeout_s{900};
    int poll_s{15};
    int max_connections{32};
    int helper_threads{0};  // 0 = the box's own share of CPUs
    bool mfa{false};        // one connection only: each new one would ask a person
};

// A relay that gives only a shell: hosts, and the words that tell which line to paste instead.
struct Relay {
    std::vector<std::string> hosts{};
    std::string text{};
};

// From what `adopt` infers the profile: host name patterns (`*` and `?`) and names of the box's environment variables.
struct Match {
    std::vector<std::string> hosts{};
    std::vector<std::string> env{};
    std::vector<Relay> relays{};
};

enum class GotchaWhen { always, preflight, create, ready, run, pull, teardown, status };
enum class GotchaAct {
    warn,
    refuse,
    retry,
    recreate,
    next_offer,
    reread_endpoint,
    relaunch,
    require_pull,
    resend,
    sweep,
    ignore,
};
struct Gotcha {
    std::string id{};
    std::string symptom{};
    GotchaWhen when{GotchaWhen::always};
    GotchaAct act{GotchaAct::warn};
    std::string text{};
    std::string src{};
    Confidence confidence{Confidence::d};
};

struct Profile {
    Platform platform{};
    SshFacts ssh{};
    std::vector<Storage> storage{};
    Paths paths{};
    std::map<std::string, std::string> env{};  // exported at launch; the user's own value wins
    Metering meter{};
    std::vector<DangerClock> clocks{};
    Spot spot{};
    std::vector<DetachDriver> detach{};  // in order of preference; filtered by what the box has
    Cuda cuda{};
    Limits limits{};
    Match match{};
    std::vector<Gotcha> gotchas{};
};

// The tier of that name, or null.
const Storage* find_storage(const Profile& profile, std::string_view name);
// The tier a path on the box lies on (the longest by components; "~…" lies on a tier declared so, else on "/"), or
// null. Where several tiers share the path, the one that survives least: it is assumed until the box proves otherwise.
const Storage* storage_of(const Profile& profile, std::string_view path);
bool survives(const Storage& storage, Downtime event);
// The verb's row, or null where the platform has none.
const MeterVerb* find_verb(const Profile& profile, Verb verb);

}  // namespace drawhitch::model
