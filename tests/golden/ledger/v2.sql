-- A ledger as version 2 left it; v2.db was made from this text: sqlite3 v2.db < v2.sql
-- The schema is that of the last commit whose ledgers were of this version.
PRAGMA page_size = 1024;
PRAGMA application_id = 1684564340;
PRAGMA user_version = 2;
BEGIN;

-- One rental of a box, from `up` or `adopt` until its end is confirmed.
CREATE TABLE leases (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again
    name            TEXT    NOT NULL,                   -- what the user types; unique among open leases
    profile         TEXT    NOT NULL,                   -- id of the platform profile
    profile_toml    TEXT    NOT NULL,                   -- its text when the lease began: teardown needs no file
    transport       TEXT    NOT NULL,                   -- auto, ssh, openssh, local
    host            TEXT    NOT NULL,                   -- name or address; empty for local
    port            INTEGER NOT NULL,
    user            TEXT    NOT NULL,                   -- login on the box
    alias           TEXT    NOT NULL,                   -- Host of the user's ssh configuration, or empty
    identity_file   BLOB    NOT NULL,                   -- path of the key file on the laptop, or empty
    project         TEXT    NOT NULL,                   -- plain name of the project
    root            BLOB    NOT NULL,                   -- <data_dir>/drawhitch/<project> on the box
    root_nonce      TEXT    NOT NULL,                   -- hex; also in a file under the root: the same box after a restart
    boot_id         TEXT    NOT NULL,                   -- of the box, when last seen
    helper_path     BLOB    NOT NULL,                   -- where the helper last started from, or empty
    capabilities    TEXT    NOT NULL,                   -- JSON of the root probe, or empty
    state           TEXT    NOT NULL CHECK (state IN ('active', 'stopped', 'unconfirmed', 'closed')),
    began_ns        INTEGER NOT NULL,
    state_since_ns  INTEGER NOT NULL,
    last_contact_ns INTEGER NOT NULL,                   -- the box last answered
    price_hour      REAL,                               -- in currency; unknown is NULL
    currency        TEXT    NOT NULL,
    state_reason    TEXT    NOT NULL DEFAULT ''         -- why the state was entered (since version 2)
) STRICT;
CREATE UNIQUE INDEX leases_open_name ON leases (name) WHERE state <> 'closed';

-- Host keys pinned to a lease. A key in force has no retired_ns.
CREATE TABLE host_keys (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    lease       INTEGER NOT NULL REFERENCES leases (id),
    type        TEXT    NOT NULL,  -- ssh-ed25519 ...
    blob        BLOB    NOT NULL,  -- raw public key
    fingerprint TEXT    NOT NULL,  -- SHA256:...
    source      TEXT    NOT NULL,  -- where trust came from: asked, flag, known_hosts, provider
    seen_ns     INTEGER NOT NULL,
    retired_ns  INTEGER,           -- when another key took its place
    reason      TEXT    NOT NULL   -- why it was replaced
) STRICT;
CREATE UNIQUE INDEX host_keys_in_force ON host_keys (lease, blob) WHERE retired_ns IS NULL;

-- Changes of the outside world, committed before they are asked for.
CREATE TABLE intents (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    lease          INTEGER REFERENCES leases (id),  -- NULL before there is one
    label          TEXT    NOT NULL UNIQUE,         -- finds an unanswered request again
    verb           TEXT    NOT NULL,                -- create, terminate, stop, launch ...
    detail         TEXT    NOT NULL,                -- JSON object or empty
    made_ns        INTEGER NOT NULL,
    settled_ns     INTEGER,                         -- NULL while the outcome is unknown
    outcome        TEXT    NOT NULL,                -- done, failed, abandoned; empty while open
    outcome_detail TEXT    NOT NULL
) STRICT;

-- One launched job. The row is the claim on its name: made before anything is sent.
CREATE TABLE runs (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    lease          INTEGER NOT NULL REFERENCES leases (id),
    name           TEXT    NOT NULL,  -- unique within the lease among runs that were not dropped
    attempt        INTEGER NOT NULL,  -- 1, 2, ... : restarts
    activate       TEXT    NOT NULL,  -- the environment's activation line
    code_hash      TEXT    NOT NULL,  -- release the work tree was copied from
    run_dir        BLOB    NOT NULL,  -- absolute on the box
    work_dir       BLOB    NOT NULL,  -- absolute on the box
    gpus           TEXT    NOT NULL,  -- CUDA_VISIBLE_DEVICES, or empty
    driver         TEXT    NOT NULL,  -- detach driver: setsid, tmux
    scratch        INTEGER NOT NULL,  -- 1: nobody needs its outputs
    started_by_pid INTEGER NOT NULL,  -- drawhitch on the laptop
    pid            INTEGER NOT NULL,  -- of the job's leader on the box; 0: not known to have started
    pgid           INTEGER NOT NULL,
    start_ticks    INTEGER NOT NULL,  -- field 22 of /proc/PID/stat, as the pid may be recycled
    boot_id        TEXT    NOT NULL,  -- the boot it was started in
    created_ns     INTEGER NOT NULL,
    confirmed      INTEGER NOT NULL,  -- 1: seen alive or ended from a second connection
    dropped_ns     INTEGER,           -- the launch certainly never happened: the name is free again
    dropped_reason TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX runs_claim ON runs (lease, name) WHERE dropped_ns IS NULL;

-- The command of a run, argument by argument.
CREATE TABLE run_args (
    run INTEGER NOT NULL REFERENCES runs (id),
    at  INTEGER NOT NULL,  -- position, from 0
    arg BLOB    NOT NULL,
    PRIMARY KEY (run, at)
) STRICT, WITHOUT ROWID;

-- The environment of a run: values of allow-listed names, salted hashes of all others.
CREATE TABLE run_env (
    run    INTEGER NOT NULL REFERENCES runs (id),
    name   BLOB    NOT NULL,
    hashed INTEGER NOT NULL,  -- 1: value is a salted hash
    value  BLOB    NOT NULL,
    PRIMARY KEY (run, name, hashed)
) STRICT, WITHOUT ROWID;

-- What a run must leave behind.
CREATE TABLE run_roster (
    run     INTEGER NOT NULL REFERENCES runs (id),
    at      INTEGER NOT NULL,  -- position, from 0
    pattern BLOB    NOT NULL,  -- relative to the work directory
    wanted  TEXT    NOT NULL,  -- must, nice, scratch
    PRIMARY KEY (run, at)
) STRICT, WITHOUT ROWID;

-- Every verdict about a run; the newest of the run's attempt is the one in force.
CREATE TABLE verdicts (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    run       INTEGER NOT NULL REFERENCES runs (id),
    attempt   INTEGER NOT NULL,
    at_ns     INTEGER NOT NULL,
    kind      TEXT    NOT NULL,  -- RUNNING, DONE ...
    exit_code INTEGER,
    signal    TEXT    NOT NULL,
    cause     TEXT    NOT NULL,
    since_s   INTEGER,           -- by the box's clock; with since_ns
    since_ns  INTEGER,           -- nanoseconds within the second
    progress  TEXT    NOT NULL,
    evidence  TEXT    NOT NULL   -- one fact a line
) STRICT;
CREATE INDEX verdicts_of_run ON verdicts (run, attempt, id);

-- Frozen lists of what a roster matched on the box.
CREATE TABLE manifests (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    run     INTEGER NOT NULL REFERENCES runs (id),
    made_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX manifests_of_run ON manifests (run, id);

CREATE TABLE manifest_files (
    manifest INTEGER NOT NULL REFERENCES manifests (id),
    at       INTEGER NOT NULL,  -- position, from 0
    unit     BLOB    NOT NULL,  -- what is certified together: the path itself, or a directory
    path     BLOB    NOT NULL,  -- relative to the run's work directory
    size     INTEGER NOT NULL,
    mtime_s  INTEGER NOT NULL,  -- by the box's clock
    mtime_ns INTEGER NOT NULL,  -- nanoseconds within the second
    root     TEXT    NOT NULL,  -- root digest of the protocol, 64 hex digits
    sha256   TEXT    NOT NULL,  -- plain SHA-256, 64 hex digits
    wanted   TEXT    NOT NULL,
    PRIMARY KEY (manifest, at)
) STRICT, WITHOUT ROWID;

-- Proofs that files were pulled, hashed and checked on the laptop. Receipts of a run add up.
CREATE TABLE receipts (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    lease     INTEGER NOT NULL REFERENCES leases (id),
    run       INTEGER NOT NULL REFERENCES runs (id),
    made_ns   INTEGER NOT NULL,
    directory BLOB    NOT NULL  -- where the pull landed, absolute
) STRICT;
CREATE INDEX receipts_of_run ON receipts (run, id);

CREATE TABLE receipt_files (
    receipt    INTEGER NOT NULL REFERENCES receipts (id),
    at         INTEGER NOT NULL,
    unit       BLOB    NOT NULL,
    path       BLOB    NOT NULL,
    size       INTEGER NOT NULL,
    mtime_s    INTEGER NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    root       TEXT    NOT NULL,
    sha256     TEXT    NOT NULL,
    wanted     TEXT    NOT NULL,
    local_path BLOB    NOT NULL,  -- absolute, on the laptop
    structure  TEXT    NOT NULL,  -- not-checked, sound, broken, unknown-format
    PRIMARY KEY (receipt, at)
) STRICT, WITHOUT ROWID;

-- Append-only history.
CREATE TABLE events (
    id    INTEGER PRIMARY KEY AUTOINCREMENT,
    lease INTEGER REFERENCES leases (id),
    run   INTEGER REFERENCES runs (id),
    at_ns INTEGER NOT NULL,
    kind  TEXT    NOT NULL,  -- "lease.added", "down.plan" ...
    json  TEXT    NOT NULL   -- one object
) STRICT;
CREATE INDEX events_of_lease ON events (lease, id);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- Simple series of numbers.
CREATE TABLE samples (
    lease  INTEGER NOT NULL REFERENCES leases (id),
    series TEXT    NOT NULL,
    at_ns  INTEGER NOT NULL,
    value  REAL    NOT NULL,
    PRIMARY KEY (lease, series, at_ns)
) STRICT, WITHOUT ROWID;

-- Small remembered answers of a lease.
CREATE TABLE notes (
    lease INTEGER NOT NULL REFERENCES leases (id),
    key   TEXT    NOT NULL,
    value TEXT    NOT NULL,
    PRIMARY KEY (lease, key)
) STRICT, WITHOUT ROWID;

-- Project files the user said yes to, by the hash of their text.
CREATE TABLE trust (
    path   BLOB    NOT NULL PRIMARY KEY,  -- absolute, on the laptop
    sha256 TEXT    NOT NULL,
    at_ns  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Hash-verified copies outside the laptop: durable tiers, buckets, hubs (since version 2).
CREATE TABLE copies (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    run          INTEGER NOT NULL REFERENCES runs (id),
    unit         BLOB    NOT NULL,
    path         BLOB    NOT NULL,
    size         INTEGER NOT NULL,
    mtime_s      INTEGER NOT NULL,
    mtime_ns     INTEGER NOT NULL,
    root         TEXT    NOT NULL,
    sha256       TEXT    NOT NULL,
    wanted       TEXT    NOT NULL,
    place        TEXT    NOT NULL,  -- "tier:NAME", "s3://bucket/key" ...
    read_back_ns INTEGER NOT NULL   -- when its hash was read there and was equal
) STRICT;
CREATE INDEX copies_of_run ON copies (run, id);

-- Files of ours on a box that must not outlive the lease: secrets and full environments. Paths only (since version 2).
CREATE TABLE volatile_files (
    lease   INTEGER NOT NULL REFERENCES leases (id),
    path    BLOB    NOT NULL,  -- absolute on the box
    what    TEXT    NOT NULL,
    made_ns INTEGER NOT NULL,
    PRIMARY KEY (lease, path)
) STRICT, WITHOUT ROWID;

INSERT INTO leases VALUES (1, 'box-old', 'generic-ssh', '[identity]', 'ssh', '203.0.113.7', 22, 'root', '', x'', 'nano',
    x'2f64617461ff', 'aabb', 'boot-1', x'2f68', '{}', 'active', 1700000000000000000, 1700000000000000000,
    1700000100000000000, 1.5, 'USD', 'adopted anew');
INSERT INTO leases VALUES (2, 'box-gone', 'generic-ssh', '[identity]', 'openssh', 'h', 22, 'root', 'gpu', x'', 'nano',
    x'2f64', '', '', x'', '', 'closed', 1690000000000000000, 1690000100000000000, 1690000000000000000, NULL, 'USD', 'the end was confirmed by hand');
INSERT INTO host_keys VALUES (1, 1, 'ssh-ed25519', x'0001', 'SHA256:abc', 'asked', 1700000000000000000, NULL, '');
INSERT INTO runs VALUES (1, 1, 'r1', 1, '', 'cc', x'2f72', x'2f72772f', '', 'setsid', 0, 9, 4711, 4711, 12, 'boot-1',
    1700000001000000000, 1, NULL, '');
INSERT INTO run_args VALUES (1, 0, x'74727565');
INSERT INTO run_roster VALUES (1, 0, x'2a2e7074', 'must');
INSERT INTO verdicts VALUES (1, 1, 1, 1700000002000000000, 'DONE', 0, '', '', NULL, NULL, '', 'exit.json says 0');
INSERT INTO receipts VALUES (1, 1, 1, 1700000003000000000, x'2f70');
INSERT INTO receipt_files VALUES (1, 0, x'61', x'61', 3, 1700000000, 0, 'r00t', 'sha', 'must', x'2f702f61', 'sound');
INSERT INTO events VALUES (1, 1, NULL, 1700000000000000000, 'lease.added', '{}');
INSERT INTO copies VALUES (1, 1, x'62', x'62', 5, 1700000000, 0, 'r00tb', 'shab', 'must', 'tier:durable',
    1700000004000000000);
INSERT INTO volatile_files VALUES (1, x'2f6465762f73686d2f65', 'environment of run r1', 1700000001000000000);
INSERT INTO notes VALUES (1, 'push.owner', 'aabb');
INSERT INTO trust VALUES (x'2f70726f6a2f64726177686974636f2e746f6d6c', 'cafe', 1700000005000000000);
COMMIT;
