import type { DatabaseSync } from 'node:sqlite'

/**
 * Each entry migrates the schema from its index to the next version; an entry that has shipped never changes.
 *
 * A message carries its conversation's totals up to itself (`visitorCount`), so that unread counts follow from a row
 * and a read mark and cannot drift. `conversations` holds the list's columns, written in the newest message's
 * transaction. `messages` is clustered by (clientId, seq), so a page is one range.
 *
 * A list of posts, reviews, or contact messages is a range of its `_newest` index. SQLite counts index entries without
 * reading rows: 10,000 in a few hundredths of a millisecond, so counts are not stored.
 */
const MIGRATIONS = [
  `
  CREATE TABLE conversations (
    clientId      TEXT PRIMARY KEY,
    epoch         TEXT NOT NULL,
    seq           INTEGER NOT NULL,
    lastAt        INTEGER NOT NULL,
    visitorCount  INTEGER NOT NULL,
    waitingSince  INTEGER,
    visitorRead   INTEGER NOT NULL DEFAULT 0,
    adminRead     INTEGER NOT NULL DEFAULT 0,
    -- how many visitor messages stand up to adminRead
    adminReadCount INTEGER NOT NULL DEFAULT 0,
    adminUnread   INTEGER GENERATED ALWAYS AS (visitorCount - adminReadCount) VIRTUAL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX conversations_unread ON conversations (adminUnread) WHERE adminUnread > 0;
  CREATE INDEX conversations_waiting ON conversations (waitingSince, clientId) WHERE waitingSince IS NOT NULL;
  CREATE INDEX conversations_answered ON conversations (lastAt DESC, clientId) WHERE waitingSince IS NULL;

  CREATE TABLE messages (
    clientId     TEXT NOT NULL,
    seq          INTEGER NOT NULL,
    _id          TEXT NOT NULL,
    senderId     TEXT NOT NULL,
    message      TEXT NOT NULL,
    createdAt    INTEGER NOT NULL,
    epoch        TEXT NOT NULL,
    nonce        TEXT NOT NULL,
    visitorCount INTEGER NOT NULL,
    PRIMARY KEY (clientId, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX messages_nonce ON messages (clientId, nonce);

  CREATE TABLE users (
    _id          TEXT PRIMARY KEY,
    userName     TEXT NOT NULL,
    nameKey      TEXT NOT NULL UNIQUE,
    passwordHash TEXT NOT NULL,
    roles        TEXT NOT NULL,
    createdAt    INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    _id          TEXT PRIMARY KEY,
    userId       TEXT NOT NULL,
    currentHash  TEXT NOT NULL,
    previousHash TEXT,
    createdAt    INTEGER NOT NULL,
    expiresAt    INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_user ON sessions (userId);
  CREATE INDEX sessions_expiry ON sessions (expiresAt);
  `,
  `
  -- Texts of any length stand last: a list stops reading a row before them.
  CREATE TABLE blogs (
    _id       TEXT PRIMARY KEY,
    slug      TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    summary   TEXT NOT NULL,
    img       TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    demo      INTEGER NOT NULL,
    content   TEXT NOT NULL
  ) STRICT;
  CREATE INDEX blogs_newest ON blogs (createdAt DESC, _id DESC);
  CREATE INDEX blogs_demo ON blogs (demo) WHERE demo = 1;

  CREATE TABLE reviews (
    _id       TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    time      TEXT NOT NULL,
    star      REAL NOT NULL,
    createdAt INTEGER NOT NULL,
    demo      INTEGER NOT NULL,
    review    TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reviews_newest ON reviews (createdAt DESC, _id DESC);
  CREATE INDEX reviews_demo ON reviews (demo) WHERE demo = 1;

  CREATE TABLE contacts (
    _id       TEXT PRIMARY KEY,
    email     TEXT NOT NULL,
    title     TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    message   TEXT NOT NULL
  ) STRICT;
  CREATE INDEX contacts_newest ON contacts (createdAt DESC, _id DESC);

  -- What happens once in the life of a store.
  CREATE TABLE milestones (
    name TEXT PRIMARY KEY,
    at   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE blogs ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

  -- Which posts show which uploads, so that a file is known to be unused without reading the posts.
  CREATE TABLE blog_uploads (
    hash   TEXT NOT NULL,
    blogId TEXT NOT NULL REFERENCES blogs (_id) ON DELETE CASCADE,
    PRIMARY KEY (hash, blogId)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blog_uploads_blog ON blog_uploads (blogId);

  -- A table of their own: a query of reviews cannot find one that is not approved.
  CREATE TABLE pending_reviews (
    _id       TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    time      TEXT NOT NULL,
    star      REAL NOT NULL,
    createdAt INTEGER NOT NULL,
    review    TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pending_reviews_newest ON pending_reviews (createdAt DESC, _id DESC);

  ALTER TABLE users ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- A row while the store is being filled from another one or from a backup, and until a server opens it then.
  CREATE TABLE filling (
    state  TEXT NOT NULL,
    source TEXT NOT NULL,
    salt   TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE users ADD COLUMN credentialVersion INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE users ADD COLUMN keptSessionId TEXT;
  ALTER TABLE sessions ADD COLUMN credentialVersion INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- SHA-256 hashes of the visitor's keys, a JSON array; the first one came with a message.
  ALTER TABLE conversations ADD COLUMN keyHashes TEXT NOT NULL DEFAULT '[]';
  `,
  `
  -- Posts with the description of their image, null where none was given yet. A new table, because a column that is added
  -- stands behind the content, and a list would read the content to reach it.
  CREATE TABLE new_blogs (
    _id       TEXT PRIMARY KEY,
    slug      TEXT NOT NULL UNIQUE,
    title     TEXT NOT NULL,
    summary   TEXT NOT NULL,
    img       TEXT NOT NULL,
    imgAlt    TEXT,
    createdAt INTEGER NOT NULL,
    updatedAt INTEGER NOT NULL,
    version   INTEGER NOT NULL DEFAULT 1,
    demo      INTEGER NOT NULL,
    content   TEXT NOT NULL
  ) STRICT;
  INSERT INTO new_blogs (_id, slug, title, summary, img, createdAt, updatedAt, version, demo, content)
    SELECT _id, slug, title, summary, img, createdAt, updatedAt, version, demo, content FROM blogs;

  -- Dropping the posts removes the references to them, so these move first.
  CREATE TABLE new_blog_uploads (
    hash   TEXT NOT NULL,
    blogId TEXT NOT NULL REFERENCES new_blogs (_id) ON DELETE CASCADE,
    PRIMARY KEY (hash, blogId)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_blog_uploads SELECT hash, blogId FROM blog_uploads;
  DROP TABLE blog_uploads;
  DROP TABLE blogs;
  ALTER TABLE new_blogs RENAME TO blogs;
  ALTER TABLE new_blog_uploads RENAME TO blog_uploads;
  CREATE INDEX blogs_newest ON blogs (createdAt DESC, _id DESC);
  CREATE INDEX blogs_demo ON blogs (demo) WHERE demo = 1;
  CREATE INDEX blog_uploads_blog ON blog_uploads (blogId);
  `,
  `
  -- The inbox. settledSeq: the seq of the newest message when the conversation was last resolved; messages up to it do
  -- not wait. activityN: the number of the newest entry of its log.
  ALTER TABLE conversations ADD COLUMN status TEXT NOT NULL DEFAULT 'open';
  ALTER TABLE conversations ADD COLUMN snoozedUntil INTEGER;
  ALTER TABLE conversations ADD COLUMN assigneeId TEXT;
  ALTER TABLE conversations ADD COLUMN labels TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE conversations ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE conversations ADD COLUMN settledSeq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE conversations ADD COLUMN activityN INTEGER NOT NULL DEFAULT 0;

  -- Each filter of the list is a range of these: waiting conversations first, then the others.
  DROP INDEX conversations_waiting;
  DROP INDEX conversations_answered;
  CREATE INDEX conversations_waiting ON conversations (status, waitingSince, clientId)
    WHERE waitingSince IS NOT NULL;
  CREATE INDEX conversations_answered ON conversations (status, lastAt DESC, clientId)
    WHERE waitingSince IS NULL;
  CREATE INDEX conversations_assignee_waiting ON conversations (assigneeId, status, waitingSince, clientId)
    WHERE waitingSince IS NOT NULL;
  CREATE INDEX conversations_assignee_answered ON conversations (assigneeId, status, lastAt DESC, clientId)
    WHERE waitingSince IS NULL;
  CREATE INDEX conversations_snoozed ON conversations (snoozedUntil) WHERE snoozedUntil IS NOT NULL;

  DROP INDEX conversations_unread;
  CREATE INDEX conversations_unread ON conversations (status, waitingSince, clientId, lastAt, adminUnread)
    WHERE adminUnread > 0;

  -- The labels of conversations, with the columns that order the list.
  CREATE TABLE conversation_labels (
    labelKey     TEXT NOT NULL,
    clientId     TEXT NOT NULL,
    label        TEXT NOT NULL,
    status       TEXT NOT NULL,
    waitingSince INTEGER,
    lastAt       INTEGER NOT NULL,
    PRIMARY KEY (labelKey, clientId)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX conversation_labels_client ON conversation_labels (clientId);
  CREATE INDEX conversation_labels_waiting ON conversation_labels (labelKey, status, waitingSince, clientId)
    WHERE waitingSince IS NOT NULL;
  CREATE INDEX conversation_labels_answered ON conversation_labels (labelKey, status, lastAt DESC, clientId)
    WHERE waitingSince IS NULL;

  -- The number of conversations with messages by status and assignee ('' without one), so that no count reads history.
  CREATE TABLE conversation_counts (
    status     TEXT NOT NULL,
    assigneeId TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (status, assigneeId)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO conversation_counts SELECT 'open', '', count(*) FROM conversations WHERE seq > 0;

  -- What admins log about a conversation: notes and changes. nonce: of a note.
  CREATE TABLE activity (
    clientId TEXT NOT NULL,
    n        INTEGER NOT NULL,
    _id      TEXT NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    byId     TEXT,
    at       INTEGER NOT NULL,
    afterSeq INTEGER NOT NULL,
    nonce    TEXT,
    data     TEXT NOT NULL,
    PRIMARY KEY (clientId, n)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX activity_nonce ON activity (clientId, nonce) WHERE nonce IS NOT NULL;

  -- What visitors said about themselves, and their browsers about themselves.
  CREATE TABLE visitors (
    clientId    TEXT PRIMARY KEY,
    name        TEXT,
    email       TEXT,
    examAt      INTEGER,
    locale      TEXT,
    timeZone    TEXT,
    device      TEXT,
    page        TEXT,
    referrer    TEXT,
    lastSeenAt  INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX visitors_exam ON visitors (examAt) WHERE examAt IS NOT NULL;

  -- What admins say about themselves, and the invitation of one who has not signed in yet.
  ALTER TABLE users ADD COLUMN displayName TEXT;
  ALTER TABLE users ADD COLUMN onDuty INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE users ADD COLUMN email TEXT;
  ALTER TABLE users ADD COLUMN inviteHash TEXT;
  ALTER TABLE users ADD COLUMN inviteExpiresAt INTEGER;

  CREATE TABLE replies (
    _id      TEXT PRIMARY KEY,
    shortcut TEXT NOT NULL UNIQUE,
    text     TEXT NOT NULL,
    version  INTEGER NOT NULL DEFAULT 1
  ) STRICT;

  -- The search index; docId is the time of the text, see search.ts. Derived: copies leave it out.
  CREATE TABLE search_entries (
    docId INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    type  INTEGER NOT NULL,
    n     INTEGER NOT NULL,
    terms TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX search_entries_owner ON search_entries (owner, type, n);
  -- No positions: phrases are checked on the texts. Beginnings of words have an index for each length.
  CREATE VIRTUAL TABLE search_terms USING fts5 (
    terms, content = 'search_entries', content_rowid = 'docId', columnsize = 0, detail = none,
    prefix = '1 2 3 4 5 6', tokenize = 'ascii'
  );
  -- Removed terms are overwritten, like deleted rows.
  INSERT INTO search_terms (search_terms, rank) VALUES ('secure-delete', 1);
  CREATE TABLE search_progress (
    owner   TEXT PRIMARY KEY,
    epoch   TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    n       INTEGER NOT NULL,
    visitor TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Files of messages; their bytes are in the folder of attachments under their _id. nonce: of the upload. sentHash: of
  -- the bytes as they were sent. keyHash: of the visitor who uploaded it. messageNonce: of its message, null until sent.
  CREATE TABLE attachments (
    _id          TEXT PRIMARY KEY,
    clientId     TEXT NOT NULL,
    senderId     TEXT NOT NULL,
    nonce        TEXT NOT NULL,
    sentHash     TEXT NOT NULL,
    keyHash      TEXT,
    name         TEXT NOT NULL,
    type         TEXT NOT NULL,
    bytes        INTEGER NOT NULL,
    width        INTEGER,
    height       INTEGER,
    createdAt    INTEGER NOT NULL,
    messageNonce TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX attachments_nonce ON attachments (clientId, senderId, nonce);
  CREATE INDEX attachments_unsent ON attachments (createdAt) WHERE messageNonce IS NULL;

  -- A JSON array of what the message shows of its files; null without files.
  ALTER TABLE messages ADD COLUMN attachments TEXT;

  -- blockedUntil: null when the visitor is not blocked. rated: whether the visitor rated the last resolve.
  ALTER TABLE conversations ADD COLUMN blockedUntil INTEGER;
  ALTER TABLE conversations ADD COLUMN rated INTEGER NOT NULL DEFAULT 0;

  -- Documents of which the store has one each, such as the settings.
  CREATE TABLE documents (
    name    TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    value   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Due jobs. revision: incremented when the job is scheduled again, so that no worker finishes a revision that it has not read.
  CREATE TABLE jobs (
    key        TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    clientId   TEXT,
    dueAt      INTEGER NOT NULL,
    leaseUntil INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    revision   INTEGER NOT NULL,
    data       TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX jobs_due ON jobs (kind, dueAt);
  CREATE INDEX jobs_client ON jobs (clientId) WHERE clientId IS NOT NULL;

  -- Browsers that admins want to be notified in. _id: the SHA-256 hash of the endpoint. retryAt: not before that time.
  CREATE TABLE subscriptions (
    _id       TEXT PRIMARY KEY,
    userId    TEXT NOT NULL,
    sessionId TEXT NOT NULL,
    endpoint  TEXT NOT NULL,
    p256dh    TEXT NOT NULL,
    auth      TEXT NOT NULL,
    label     TEXT NOT NULL,
    previews  INTEGER NOT NULL,
    createdAt INTEGER NOT NULL,
    retryAt   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX subscriptions_user ON subscriptions (userId);
  CREATE INDEX subscriptions_session ON subscriptions (sessionId);

  -- Links of mails, by the hash of their token. kind: resume or unsubscribe.
  CREATE TABLE links (
    hash      TEXT PRIMARY KEY,
    kind      TEXT NOT NULL,
    clientId  TEXT NOT NULL,
    epoch     TEXT NOT NULL,
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX links_client ON links (clientId);
  CREATE INDEX links_expiry ON links (expiresAt);

  -- mailedAt: the times of the last mails, a JSON array. mailedSeq: of the newest message that a mail was about.
  ALTER TABLE visitors ADD COLUMN unsubscribed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE visitors ADD COLUMN mailedAt TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE visitors ADD COLUMN mailedSeq INTEGER NOT NULL DEFAULT 0;

  -- How long visitors waited for answers.
  CREATE TABLE answers (
    _id      TEXT PRIMARY KEY,
    at       INTEGER NOT NULL,
    waitedMs INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX answers_at ON answers (at);
  `,
  `
  -- doneAt: when an admin marked the contact message as done.
  ALTER TABLE contacts ADD COLUMN doneAt INTEGER;
  `,
  `
  -- The search index in segments of texts of neighboring times, see search-index.ts. It is built again.
  DROP TABLE search_terms;
  DROP TABLE search_entries;
  DELETE FROM search_progress;
  -- since: the time from which on texts are in it, up to that of the next. texts, terms: how many were added.
  CREATE TABLE search_segments (
    id    INTEGER PRIMARY KEY,
    since INTEGER NOT NULL UNIQUE,
    texts INTEGER NOT NULL,
    terms INTEGER NOT NULL
  ) STRICT;
  -- at: the time of the text. slot: its number in the segment.
  CREATE TABLE search_entries (
    segment INTEGER NOT NULL,
    at    INTEGER NOT NULL,
    slot  INTEGER NOT NULL,
    owner TEXT NOT NULL,
    type  INTEGER NOT NULL,
    n     INTEGER NOT NULL,
    PRIMARY KEY (segment, at, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX search_entries_owner ON search_entries (owner, type, n);
  -- slots: of the texts that have the term, a character for each.
  CREATE TABLE search_terms (
    segment INTEGER NOT NULL,
    term  TEXT NOT NULL,
    slots TEXT NOT NULL,
    PRIMARY KEY (segment, term)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Counts for network and email addresses; _id is a keyed hash. places: a JSON array of { name, at }.
  CREATE TABLE addresses (
    _id            TEXT PRIMARY KEY,
    places         TEXT NOT NULL,
    unsubscribedAt INTEGER,
    expiresAt      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX addresses_expiry ON addresses (expiresAt) WHERE unsubscribedAt IS NULL;

  -- The address that was mailed; null in links of older releases.
  ALTER TABLE links ADD COLUMN addressId TEXT;
  `,
  `
  -- What each admin has seen of a conversation: its newest message and entry.
  CREATE TABLE seen_marks (
    userId   TEXT NOT NULL,
    clientId TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    PRIMARY KEY (userId, clientId)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX seen_marks_client ON seen_marks (clientId);

  -- The admins whom an entry of a log concerns, from now on. Derived: copies leave it out.
  CREATE TABLE activity_concerns (
    userId   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    clientId TEXT NOT NULL,
    n        INTEGER NOT NULL,
    PRIMARY KEY (userId, at, clientId, n)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX activity_concerns_client ON activity_concerns (clientId);
  `,
  `
  -- Websites on which the widget runs. origins, secrets: JSON arrays. side: left or right.
  CREATE TABLE sites (
    _id       TEXT PRIMARY KEY,
    name      TEXT NOT NULL,
    origins   TEXT NOT NULL,
    enabled   INTEGER NOT NULL,
    color     TEXT NOT NULL,
    side      TEXT NOT NULL,
    offsetX   INTEGER NOT NULL,
    offsetY   INTEGER NOT NULL,
    labelEn   TEXT NOT NULL,
    labelZh   TEXT NOT NULL,
    secrets   TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    version   INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sites_oldest ON sites (createdAt, _id);
  `,
  `
  -- Keys of programs, by the SHA-256 hash of the key. scopes: a JSON array. A deleted one stays, for its name.
  CREATE TABLE apiKeys (
    _id        TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    prefix     TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    createdAt  INTEGER NOT NULL,
    createdBy  TEXT NOT NULL,
    expiresAt  INTEGER,
    lastUsedAt INTEGER,
    deletedAt  INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX apiKeys_hash ON apiKeys (hash);
  CREATE INDEX apiKeys_living ON apiKeys (deletedAt, createdAt);
  `,
  `
  -- The audit log, a chain by hashes. _id: the number with leading zeros. details: JSON, as it was hashed.
  CREATE TABLE audit (
    _id     TEXT PRIMARY KEY,
    at      INTEGER NOT NULL,
    by      TEXT,
    action  TEXT NOT NULL,
    target  TEXT,
    details TEXT NOT NULL,
    address TEXT,
    hash    TEXT NOT NULL,
    source  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX audit_source ON audit (source);
  CREATE INDEX audit_by ON audit (by, _id);
  CREATE INDEX audit_action ON audit (action, _id);
  CREATE INDEX audit_time ON audit (at, _id);
  `,
  `
  -- What came by mail. via: mail; null for a message of the chat. quoted: what the mail quoted, and its signature.
  ALTER TABLE messages ADD COLUMN via TEXT;
  ALTER TABLE messages ADD COLUMN quoted TEXT;
  -- failing: a mail to the present address came back.
  ALTER TABLE visitors ADD COLUMN failing INTEGER NOT NULL DEFAULT 0;

  -- Mails that were read, by the hash of their bytes, so that a mailbox that is read again stores nothing twice.
  CREATE TABLE mails (
    hash      TEXT PRIMARY KEY,
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mails_expiry ON mails (expiresAt);
  `,
  `
  -- Where a conversation began; null: on our own pages.
  ALTER TABLE conversations ADD COLUMN siteId TEXT;
  ALTER TABLE conversations ADD COLUMN siteName TEXT;
  CREATE INDEX conversations_site_waiting ON conversations (siteId, status, waitingSince, clientId)
    WHERE waitingSince IS NOT NULL;
  CREATE INDEX conversations_site_answered ON conversations (siteId, status, lastAt DESC, clientId)
    WHERE waitingSince IS NULL;

  -- signed: whom a site vouches for, a JSON object.
  ALTER TABLE visitors ADD COLUMN signed TEXT;

  -- The conversations of signed visitors. _id: a hash of the site and its name for the person.
  CREATE TABLE identities (
    _id      TEXT PRIMARY KEY,
    siteId   TEXT NOT NULL,
    clientId TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX identities_client ON identities (clientId);

  -- Browsers that continue a conversation in a frame, by the hash of their cookie.
  CREATE TABLE remembered (
    hash      TEXT PRIMARY KEY,
    siteId    TEXT NOT NULL,
    clientId  TEXT NOT NULL,
    epoch     TEXT NOT NULL,
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remembered_client ON remembered (clientId);
  CREATE INDEX remembered_expiry ON remembered (expiresAt);
  `,
  `
  -- factors: JSON, see Factors of port/records.ts.
  ALTER TABLE users ADD COLUMN factors TEXT NOT NULL DEFAULT '{"version":0,"totp":null,"recovery":[]}';

  -- Second steps of sign-ins, and authenticator apps that are being set up. _id, boundTo: hashes.
  CREATE TABLE challenges (
    _id               TEXT PRIMARY KEY,
    userId            TEXT NOT NULL,
    boundTo           TEXT NOT NULL,
    credentialVersion INTEGER NOT NULL,
    sealed            TEXT,
    expiresAt         INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX challenges_expiry ON challenges (expiresAt);
  `,
  `
  ALTER TABLE sessions ADD COLUMN device TEXT;
  ALTER TABLE sessions ADD COLUMN network TEXT;
  ALTER TABLE sessions ADD COLUMN usedAt INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE sessions ADD COLUMN confirmedAt INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- What happened. _id: the type and what it tells of. n: the seq of a message, the n of an entry.
  CREATE TABLE events (
    _id      TEXT PRIMARY KEY,
    number   INTEGER NOT NULL,
    type     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    clientId TEXT,
    n        INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX events_number ON events (number);
  `,
  `
  -- URLs that events are posted to. types, secrets: JSON, see EndpointRecord.
  CREATE TABLE endpoints (
    _id          TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    url          TEXT NOT NULL,
    types        TEXT NOT NULL,
    notes        INTEGER NOT NULL,
    disabledBy   TEXT,
    failingSince INTEGER,
    secrets      TEXT NOT NULL,
    after        INTEGER NOT NULL,
    replayAfter  INTEGER NOT NULL,
    replayTo     INTEGER NOT NULL,
    createdAt    INTEGER NOT NULL,
    version      INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX endpoints_oldest ON endpoints (createdAt, _id);

  -- Events that an endpoint did not take. _id: the endpoint and the subject.
  CREATE TABLE retries (
    _id      TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    subject  TEXT NOT NULL,
    event    INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    dueAt    INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX retries_due ON retries (endpoint, dueAt);

  -- Requests to endpoints, for the dashboard. _id: in order of time.
  CREATE TABLE deliveries (
    _id      TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL,
    event    INTEGER NOT NULL,
    type     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    clientId TEXT,
    attempt  INTEGER NOT NULL,
    status   INTEGER,
    error    TEXT,
    ms       INTEGER NOT NULL,
    answer   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_newest ON deliveries (endpoint, _id DESC);
  CREATE INDEX deliveries_client ON deliveries (clientId);
  `,
  `
  UPDATE users SET factors = json_set(factors, '$.passkeys', json('[]'));

  -- A challenge that any passkey may answer has no user. The rows live for minutes.
  DROP TABLE challenges;
  CREATE TABLE challenges (
    _id               TEXT PRIMARY KEY,
    userId            TEXT,
    boundTo           TEXT NOT NULL,
    credentialVersion INTEGER NOT NULL,
    sealed            TEXT,
    expiresAt         INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX challenges_expiry ON challenges (expiresAt);
  `,
  `
  ALTER TABLE visitors ADD COLUMN pages TEXT NOT NULL DEFAULT '[]';
  `,
  `
  -- Figures of reports: what each conversation adds to each quarter-hour, and their sums by day of UTC, with the quarter-hours
  -- whose sums are old. Derived: copies leave them out.
  CREATE TABLE reportProgress (
    clientId TEXT PRIMARY KEY,
    epoch    TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    n        INTEGER NOT NULL,
    dueAt    INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reportProgress_due ON reportProgress (dueAt) WHERE dueAt IS NOT NULL;
  CREATE TABLE reportParts (
    _id      TEXT PRIMARY KEY,
    clientId TEXT NOT NULL,
    epoch    TEXT NOT NULL,
    quarter  INTEGER NOT NULL,
    data     TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX reportParts_client ON reportParts (clientId);
  CREATE INDEX reportParts_quarter ON reportParts (quarter, _id);
  -- The long text stands last: the list of days does not read it.
  CREATE TABLE reportDays (
    day        TEXT PRIMARY KEY,
    revision   TEXT NOT NULL,
    dirtyCount INTEGER NOT NULL,
    dirty      TEXT NOT NULL,
    data       TEXT NOT NULL
  ) STRICT;
  CREATE INDEX reportDays_dirty ON reportDays (dirtyCount) WHERE dirtyCount > 0;

  -- What erased conversations added to each quarter-hour.
  CREATE TABLE keptFigures (
    _id     TEXT PRIMARY KEY,
    quarter INTEGER NOT NULL,
    data    TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keptFigures_quarter ON keptFigures (quarter);
  `,
  `
  -- How often suggested pages were opened. _id: the path and the day.
  CREATE TABLE suggestionCounts (
    _id    TEXT PRIMARY KEY,
    day    TEXT NOT NULL,
    opened INTEGER NOT NULL,
    asked  INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX suggestionCounts_day ON suggestionCounts (day);
  `,
  `
  ALTER TABLE visitors ADD COLUMN card TEXT;
  `,
  `
  -- A retry of a webhook goes on with the next event of its conversation.
  CREATE INDEX events_client ON events (clientId, number);
  `,
  `
  -- By number, and by blocks of numbers: an event is written with each message. Rows in the order of their numbers share
  -- a page, where an index by conversations writes a page for each.
  CREATE TABLE numbered (
    number   INTEGER PRIMARY KEY,
    _id      TEXT NOT NULL,
    type     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    clientId TEXT,
    n        INTEGER NOT NULL
  ) STRICT;
  INSERT INTO numbered (number, _id, type, at, clientId, n)
    SELECT number, _id, type, at, clientId, n FROM events ORDER BY number;
  DROP TABLE events;
  ALTER TABLE numbered RENAME TO events;
  CREATE INDEX events_client ON events (number / 128, clientId);
  `,
  `
  -- By site too ('' on our own pages): counting the open ones of each site read all of them.
  DROP TABLE conversation_counts;
  CREATE TABLE conversation_counts (
    status     TEXT NOT NULL,
    assigneeId TEXT NOT NULL,
    siteId     TEXT NOT NULL,
    count      INTEGER NOT NULL,
    PRIMARY KEY (status, assigneeId, siteId)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO conversation_counts
    SELECT status, coalesce(assigneeId, ''), coalesce(siteId, ''), count(*) FROM conversations
    WHERE seq > 0 GROUP BY 1, 2, 3;
  `,
  `
  -- The search index with other terms, see INDEX_VERSION. It is built again.
  DELETE FROM search_progress;
  DELETE FROM search_entries;
  DELETE FROM search_terms;
  DELETE FROM search_segments;
  `,
  `
  -- A blocked visitor does not wait. Until now a block did not end the wait.
  UPDATE conversations SET waitingSince = NULL, settledSeq = seq
    WHERE waitingSince IS NOT NULL AND blockedUntil > unixepoch() * 1000;
  UPDATE conversation_labels SET waitingSince = NULL
    WHERE clientId IN (SELECT clientId FROM conversations WHERE blockedUntil > unixepoch() * 1000);
  `,
  `
  -- What marking as spam replaced, a JSON object, see SpamMark. Null: not spam.
  ALTER TABLE conversations ADD COLUMN spam TEXT;
  `,
  `
  -- Posts with the time from which everyone sees them, see NEVER. A new table, so that the content stays last.
  CREATE TABLE new_blogs (
    _id            TEXT PRIMARY KEY,
    slug           TEXT NOT NULL UNIQUE,
    title          TEXT NOT NULL,
    summary        TEXT NOT NULL,
    img            TEXT NOT NULL,
    imgAlt         TEXT,
    publishAt      INTEGER NOT NULL,
    authorId       TEXT,
    readingMinutes INTEGER,
    createdAt      INTEGER NOT NULL,
    updatedAt      INTEGER NOT NULL,
    version        INTEGER NOT NULL DEFAULT 1,
    demo           INTEGER NOT NULL,
    content        TEXT NOT NULL
  ) STRICT;
  INSERT INTO new_blogs (_id, slug, title, summary, img, imgAlt, publishAt, createdAt, updatedAt, version, demo, content)
    SELECT _id, slug, title, summary, img, imgAlt, createdAt, createdAt, updatedAt, version, demo, content FROM blogs;
  CREATE TABLE new_blog_uploads (
    hash   TEXT NOT NULL,
    blogId TEXT NOT NULL REFERENCES new_blogs (_id) ON DELETE CASCADE,
    PRIMARY KEY (hash, blogId)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_blog_uploads SELECT hash, blogId FROM blog_uploads;
  DROP TABLE blog_uploads;
  DROP TABLE blogs;
  ALTER TABLE new_blogs RENAME TO blogs;
  ALTER TABLE new_blog_uploads RENAME TO blog_uploads;
  CREATE INDEX blogs_published ON blogs (publishAt DESC, _id DESC);
  CREATE INDEX blogs_demo ON blogs (demo) WHERE demo = 1;
  CREATE INDEX blog_uploads_blog ON blog_uploads (blogId);

  -- Links to posts that not everyone sees, by the post. hash: the SHA-256 hash of the link's token.
  CREATE TABLE previewLinks (
    _id       TEXT PRIMARY KEY,
    hash      TEXT NOT NULL,
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX previewLinks_hash ON previewLinks (hash);
  CREATE INDEX previewLinks_expiry ON previewLinks (expiresAt);
  `,
  `
  -- What the visitors of a website see instead of the brand and the greeting from the settings. Empty if they see those.
  ALTER TABLE sites ADD COLUMN displayName TEXT NOT NULL DEFAULT '';
  ALTER TABLE sites ADD COLUMN greetingEn TEXT NOT NULL DEFAULT '';
  ALTER TABLE sites ADD COLUMN greetingZh TEXT NOT NULL DEFAULT '';
  `,
  `
  -- The search index with tags, see INDEX_VERSION. It is built again.
  DELETE FROM search_progress;
  DELETE FROM search_entries;
  DELETE FROM search_terms;
  DELETE FROM search_segments;
  `,
  `
  -- timeZone: an IANA name; null for the opening hours' zone. weeklyFrom: the Monday of the next weekly mail; null for none.
  ALTER TABLE users ADD COLUMN timeZone TEXT;
  ALTER TABLE users ADD COLUMN weeklyFrom TEXT;
  `,
  `
  -- Searches that admins keep. nameKey: the name as it is compared. query: the parameters of GET /search.
  CREATE TABLE savedSearches (
    _id     TEXT PRIMARY KEY,
    userId  TEXT NOT NULL,
    name    TEXT NOT NULL,
    nameKey TEXT NOT NULL,
    query   TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX savedSearches_name ON savedSearches (userId, nameKey);
  `,
  `
  -- The URL of the admin's picture; null for none.
  ALTER TABLE users ADD COLUMN face TEXT;
  `,
  `
  -- The messages that are sent later, a JSON array in the order of their times, see ScheduledRecord. Null: none.
  ALTER TABLE conversations ADD COLUMN scheduled TEXT;
  CREATE INDEX conversations_scheduled ON conversations (scheduled ->> '$[0].sendAt') WHERE scheduled IS NOT NULL;
  `,
  `
  -- The website's texts that were edited. _id: the language and the key. own: 0 if shipped again, or gone. base: the hash
  -- of the shipped text then.
  CREATE TABLE texts (
    _id     TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    by      TEXT,
    own     INTEGER NOT NULL,
    base    TEXT,
    fields  TEXT
  ) STRICT;

  -- Earlier versions of texts and posts. _id: whose they are, and the version.
  CREATE TABLE versions (
    _id    TEXT PRIMARY KEY,
    at     INTEGER NOT NULL,
    by     TEXT,
    fields TEXT
  ) STRICT;

  -- The uploads that texts and earlier versions show. _id: the hash and the version.
  CREATE TABLE pictures (
    _id     TEXT PRIMARY KEY,
    version TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pictures_version ON pictures (version);
  `,
  `
  -- The newest words of corrected messages. messages keeps the words that were sent. edit: 1, 2, 3 in each conversation,
  -- which counts them in edits.
  CREATE TABLE edits (
    clientId TEXT NOT NULL,
    seq      INTEGER NOT NULL,
    edit     INTEGER NOT NULL,
    words    TEXT NOT NULL,
    editedAt INTEGER NOT NULL,
    PRIMARY KEY (clientId, seq)
  ) STRICT, WITHOUT ROWID;
  ALTER TABLE conversations ADD COLUMN edits INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Posts with their language and the author of their version. A new table, so that the content stays last.
  CREATE TABLE new_blogs (
    _id            TEXT PRIMARY KEY,
    slug           TEXT NOT NULL UNIQUE,
    title          TEXT NOT NULL,
    summary        TEXT NOT NULL,
    img            TEXT NOT NULL,
    imgAlt         TEXT,
    publishAt      INTEGER NOT NULL,
    authorId       TEXT,
    editedBy       TEXT,
    lang           TEXT NOT NULL,
    readingMinutes INTEGER,
    createdAt      INTEGER NOT NULL,
    updatedAt      INTEGER NOT NULL,
    version        INTEGER NOT NULL DEFAULT 1,
    demo           INTEGER NOT NULL,
    content        TEXT NOT NULL
  ) STRICT;
  INSERT INTO new_blogs
    SELECT _id, slug, title, summary, img, imgAlt, publishAt, authorId, NULL, 'en', readingMinutes, createdAt, updatedAt,
      version, demo, content FROM blogs;
  CREATE TABLE new_blog_uploads (
    hash   TEXT NOT NULL,
    blogId TEXT NOT NULL REFERENCES new_blogs (_id) ON DELETE CASCADE,
    PRIMARY KEY (hash, blogId)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_blog_uploads SELECT hash, blogId FROM blog_uploads;
  DROP TABLE blog_uploads;
  DROP TABLE blogs;
  ALTER TABLE new_blogs RENAME TO blogs;
  ALTER TABLE new_blog_uploads RENAME TO blog_uploads;
  CREATE INDEX blogs_published ON blogs (publishAt DESC, _id DESC);
  CREATE INDEX blogs_demo ON blogs (demo) WHERE demo = 1;
  CREATE INDEX blog_uploads_blog ON blog_uploads (blogId);
  `,
  `
  -- Language files that admins uploaded. file: the file's JSON.
  CREATE TABLE languages (
    tag       TEXT PRIMARY KEY,
    file      TEXT NOT NULL,
    changedAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Websites' greetings and labels in languages other than English and Chinese: JSON objects by tag.
  ALTER TABLE sites ADD COLUMN otherGreetings TEXT NOT NULL DEFAULT '{}';
  ALTER TABLE sites ADD COLUMN otherLabels TEXT NOT NULL DEFAULT '{}';
  `,
  `
  -- Conversations of which an erased history's messages are still to be removed.
  CREATE TABLE erasing (clientId TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
]

/** The schema version that this code writes. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Returns the database's schema version, 0 for a new one. Throws when a newer release wrote the database. */
export function versionOf(db: DatabaseSync): number {
  const { user_version: found } = db.prepare('PRAGMA user_version').get() as { user_version: number }
  if (found > SCHEMA_VERSION) {
    throw new Error(
      `The database has schema version ${found}; this release uses ${SCHEMA_VERSION}. Start a newer release.`,
    )
  }
  return found
}

/**
 * Migrates the database to version `to`, and returns the former version. Throws when a newer release wrote it.
 * @param onStep called before each step, with its number and the number of all steps
 */
export function migrate(
  db: DatabaseSync,
  to = SCHEMA_VERSION,
  onStep?: (step: number, steps: number) => void,
): number {
  const found = versionOf(db)
  for (let version = found; version < to; version++) {
    onStep?.(version - found + 1, to - found)
    db.exec(`BEGIN IMMEDIATE; ${MIGRATIONS[version]}; PRAGMA user_version = ${version + 1}; COMMIT`)
  }
  return found
}
