-- From version 3 to 4: which files on the laptop a pull wrote, so that no later one replaces a file of the user's.
CREATE TABLE held_files (
    run      INTEGER NOT NULL REFERENCES runs (id),
    path     BLOB    NOT NULL,  -- absolute, on the laptop
    root     TEXT    NOT NULL,  -- root digest of what the last pull of the run left there
    written  INTEGER NOT NULL,  -- 1: a pull wrote these bytes there; 0: they were found equal, and are the user's
    size     INTEGER NOT NULL,
    ino      INTEGER NOT NULL,  -- with the two times: the state in which these bytes were seen
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,  -- 0: no state is known
    PRIMARY KEY (run, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_files_at ON held_files (path);
-- Receipts do not tell who wrote a file: those of older versions are taken for pulled ones.
INSERT OR REPLACE INTO held_files (run, path, root, written, size, ino, mtime_ns, ctime_ns)
    SELECT r.run, f.local_path, f.root, 1, f.size, 0, 0, 0
    FROM receipt_files f JOIN receipts r ON r.id = f.receipt ORDER BY r.id, f.at;
