-- From version 1 to 2: why a state was entered, copies at third places, and files that must not outlive the lease.
ALTER TABLE leases ADD COLUMN state_reason TEXT NOT NULL DEFAULT '';

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
    place        TEXT    NOT NULL,
    read_back_ns INTEGER NOT NULL
) STRICT;
CREATE INDEX copies_of_run ON copies (run, id);

CREATE TABLE volatile_files (
    lease   INTEGER NOT NULL REFERENCES leases (id),
    path    BLOB    NOT NULL,
    what    TEXT    NOT NULL,
    made_ns INTEGER NOT NULL,
    PRIMARY KEY (lease, path)
) STRICT, WITHOUT ROWID;
