import type { Side } from '@proctorpass/shared/events'
import type { Storage } from './storage.ts'

type Repositories = {
  [R in keyof Storage as Storage[R] extends (...args: never) => unknown ? never : R]: NonNullable<Storage[R]>
}

/**
 * What a method does to the disk.
 * - `reads`: it writes nothing.
 * - `always`: it writes little or removes something, and must stay possible on a full disk.
 * - A side: it stores more for that side. For a file, this is its row.
 * - A function: the side depends on the arguments, and null means `always`.
 */
export type Effect<Args extends unknown[] = never[]> =
  | 'reads'
  | 'always'
  | 'file'
  | Side
  | ((...args: Args) => Side | null)

type Effects<R> = {
  readonly [M in keyof R]: R[M] extends (...args: infer Args) => unknown ? Effect<Args> : never
}

/** The effect of each method in each repository. The compiler rejects a missing method. */
export const WRITES: { readonly [R in keyof Repositories]: Effects<Repositories[R]> } = {
  messages: {
    append: ({ senderId, clientId }) => (senderId === clientId ? 'visitor' : 'admin'),
    page: 'reads',
  },
  attachments: {
    add: 'file',
    findByNonce: 'reads',
    find: 'reads',
    listUnsent: 'reads',
    expire: 'always',
    remove: 'always',
  },
  conversations: {
    list: 'reads',
    markRead: 'always',
    record: 'reads',
    totalAdminUnread: 'reads',
    find: 'reads',
    idle: 'reads',
    idleSpam: 'reads',
    addKey: 'always',
    admit: 'always',
    erase: 'always',
  },
  inbox: {
    change: (_clientId, _change, { by }) => (by === null ? null : 'admin'),
    addNote: 'admin',
    addMail: 'visitor',
    logIdentity: 'always',
    block: 'always',
    rate: 'visitor',
    ratings: 'reads',
    activity: 'reads',
    counts: 'reads',
    now: 'reads',
    concerning: 'reads',
    labels: 'reads',
    dueSnoozes: 'reads',
    schedule: 'admin',
    reschedule: 'admin',
    unschedule: 'always',
    scheduled: 'reads',
    messageUnder: 'reads',
    dueMessages: 'reads',
  },
  seenMarks: { move: 'always', moveBack: 'always', of: 'reads' },
  visitors: {
    update: (_clientId, _change, { by }) => (by === null ? 'visitor' : 'admin'),
    mailed: 'always',
    bounced: 'always',
    sign: 'always',
    setUnsubscribed: 'always',
    find: 'reads',
    names: 'reads',
  },
  users: {
    findByName: 'reads',
    findById: 'reads',
    list: 'reads',
    any: 'reads',
    createFirst: 'always',
    create: 'always',
    replacePasswordHash: 'always',
    changeCredentials: 'always',
    useFactor: 'always',
    disable: 'always',
    findByInvite: 'reads',
    removeInvited: 'always',
    changeProfile: 'always',
    moveWeekly: 'always',
  },
  blogs: {
    list: 'reads',
    cameDue: 'reads',
    findBySlug: 'reads',
    findById: 'reads',
    create: 'admin',
    update: 'admin',
    measured: 'always',
    remove: 'always',
    refersTo: 'reads',
  },
  reviews: {
    list: 'reads',
    pending: 'reads',
    findById: 'reads',
    create: 'admin',
    submit: 'visitor',
    update: 'admin',
    remove: 'always',
    approve: 'always',
    stars: 'reads',
  },
  contacts: { list: 'reads', findById: 'reads', create: 'visitor', setDone: 'always', remove: 'always' },
  jobs: {
    schedule: 'always',
    claim: 'always',
    claimed: 'reads',
    takeOver: 'always',
    finish: 'always',
    renew: 'always',
    save: 'always',
    cancel: 'always',
  },
  events: { begin: 'always', after: 'reads', afterOf: 'reads', bounds: 'reads', prune: 'always' },
  audit: { append: 'always', list: 'reads', page: 'reads', cut: 'always' },
  samples: { seed: 'always', remove: 'always' },
  reports: {
    history: 'reads',
    head: 'reads',
    heads: 'reads',
    progress: 'reads',
    due: 'reads',
    setProgress: 'always',
    forget: 'always',
    partsOf: 'reads',
    parts: 'reads',
    partsIn: 'reads',
    putPart: 'visitor',
    removePart: 'always',
    days: 'reads',
    day: 'reads',
    mark: 'always',
    dirtyDays: 'reads',
    setDay: 'always',
    keptIn: 'reads',
    kept: 'reads',
    purge: 'always',
    clear: 'always',
  },
  search: {
    find: 'reads',
    progressOf: 'reads',
    put: 'visitor',
    forget: 'always',
    stale: 'reads',
    lease: 'always',
    completed: 'always',
  },
  sessions: {
    create: 'always',
    find: 'reads',
    listOf: 'reads',
    rotate: 'always',
    confirm: 'always',
    end: 'always',
    sweep: 'always',
  },
  replies: { list: 'reads', create: 'admin', update: 'admin', remove: 'always' },
  documents: { read: 'reads', write: 'admin' },
  addresses: { take: 'always', setUnsubscribed: 'always', isUnsubscribed: 'reads' },
  answers: { add: 'always', waits: 'reads', removeBefore: 'always' },
  challenges: { put: 'always', find: 'reads', take: 'always' },
  links: { create: 'always', find: 'reads' },
  // Webhooks continue from what they store in the row, so an update must stay possible. It replaces what the row had.
  endpoints: { list: 'reads', find: 'reads', create: 'admin', update: 'always', remove: 'always' },
  retries: { find: 'reads', list: 'reads', put: 'always', settle: 'always', removeOf: 'always' },
  deliveries: { add: 'always', remove: 'always', page: 'reads', prune: 'always', removeOf: 'always' },
  apiKeys: {
    list: 'reads',
    create: 'admin',
    findByHash: 'reads',
    nameOf: 'reads',
    setUsed: 'always',
    remove: 'always',
  },
  mails: { add: 'always', has: 'reads' },
  subscriptions: {
    listOf: 'reads',
    put: 'always',
    setRetryAt: 'always',
    remove: 'always',
    removeOfSessions: 'always',
  },
  sites: {
    list: 'reads',
    find: 'reads',
    create: 'admin',
    update: 'admin',
    remove: 'always',
    addSecret: 'admin',
    changeSecret: 'always',
    removeSecret: 'always',
  },
  identities: { find: 'reads', findOf: 'reads', add: 'always' },
  remembered: { add: 'always', extend: 'always', find: 'reads', remove: 'always' },
  previewLinks: {
    replace: 'always',
    findByHash: 'reads',
    ofPost: 'reads',
    remove: 'always',
  },
  savedSearches: { listOf: 'reads', create: 'admin', remove: 'always' },
  texts: { list: 'reads', questions: 'reads', find: 'reads', write: 'admin', remove: 'always' },
  versions: {
    show: 'admin',
    keep: 'admin',
    trim: 'always',
    end: 'always',
    list: 'reads',
    find: 'reads',
    refersTo: 'reads',
  },
  suggestions: { add: 'visitor', list: 'reads', removeBefore: 'always' },
  contentRevision: { read: 'reads', advance: 'always' },
}
