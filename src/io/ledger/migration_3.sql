-- From version 2 to 3: load tests that need not be run again.
CREATE TABLE load_tests (
    subject   TEXT    NOT NULL,  -- SHA-256 over the unit's name, paths and root digests
    command   TEXT    NOT NULL,  -- SHA-256 over the words, where they were run, and the scripts they name
    passed_ns INTEGER NOT NULL,
    PRIMARY KEY (subject, command)
) STRICT, WITHOUT ROWID;
