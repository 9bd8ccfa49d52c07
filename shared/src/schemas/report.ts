import Type, { type Static } from 'typebox'
import { REPORT_PAGE_MAX, TIME_ZONE_MAX } from '../limits.ts'

/** A date, as `YYYY-MM-DD`. */
export const DateSchema = Type.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}$` })

const filters = {
  /** The first and the last day in `zone`. Both are included. */
  from: DateSchema,
  to: DateSchema,
  /** An IANA time zone name. The default is the opening hours' zone or, without hours, UTC. */
  zone: Type.Optional(Type.String({ minLength: 1, maxLength: TIME_ZONE_MAX })),
  /** A site's ID, or `own` for conversations on our own pages. */
  site: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  /** A user ID, or `none`. */
  assignee: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  /** With `open`, only time inside the opening hours counts. The default is `clock`. */
  time: Type.Optional(Type.Union([Type.Literal('clock'), Type.Literal('open')])),
}

export const ReportQuerySchema = Type.Object(filters)
export type ReportQuery = Static<typeof ReportQuerySchema>

/** A number of seconds. Null if there are no durations. */
const SecondsSchema = Type.Union([Type.Number(), Type.Null()])

/**
 * The median and p90 of some durations. The median of an even number is the mean of the two in the middle; p90 is the
 * nearest rank. Both are within 5 %.
 */
export const DurationsSchema = Type.Object({
  n: Type.Integer(),
  median: SecondsSchema,
  p90: SecondsSchema,
})
export type ReportDurations = Static<typeof DurationsSchema>

const waits = {
  /** The messages that people, not programs, sent to visitors. */
  messagesOut: Type.Integer(),
  /** The first wait of each episode: from the visitor's message until a person answers. */
  firstWait: DurationsSchema,
  /** The waits from a visitor's first unanswered message until a person answers. */
  wait: DurationsSchema,
}

const figures = {
  /** Conversations whose first message is in the range. */
  conversations: Type.Integer(),
  /** An episode lasts from a visitor's message that opens or reopens a conversation until an admin resolves it. */
  episodes: Type.Integer(),
  resolved: Type.Integer(),
  /** Episodes that were resolved, or had waited 24 hours, without an answer. */
  missed: Type.Integer(),
  messagesIn: Type.Integer(),
  ...waits,
  /** The time from an episode's beginning until an admin resolves it. */
  resolution: DurationsSchema,
  ratings: Type.Object({
    n: Type.Integer(),
    mean: Type.Union([Type.Number(), Type.Null()]),
    /** How often each score was given, from 1 to 5. */
    scores: Type.Array(Type.Integer()),
  }),
}
export const ReportFiguresSchema = Type.Object(figures)
export type ReportFigures = Static<typeof ReportFiguresSchema>

/** The figures for each day, in order. */
const DaysSchema = Type.Array(Type.Object({ date: DateSchema, ...figures }))

export const ReportSchema = Type.Object({
  from: DateSchema,
  to: DateSchema,
  zone: Type.String(),
  time: Type.Union([Type.Literal('clock'), Type.Literal('open')]),
  /** True while something that was stored is not counted yet. */
  indexing: Type.Boolean(),
  totals: ReportFiguresSchema,
  /** The figures for the same number of days before. `previous.days` has one day for each day in `days`. */
  previous: Type.Object({ ...figures, days: DaysSchema }),
  days: DaysSchema,
  /** Visitors' messages by weekday (Monday first) and hour. */
  heat: Type.Array(Type.Array(Type.Integer())),
  /** The waits longer than SLOW_WAIT_MS that began at that time, in the same order, within 5 %. */
  slow: Type.Array(Type.Array(Type.Integer())),
  /** Figures for each sender. An API key's `userId` is `key:` and its ID. */
  admins: Type.Array(Type.Object({ userId: Type.String(), name: Type.String(), ...waits })),
  /** Figures for each label that conversations have now. */
  labels: Type.Array(Type.Object({ label: Type.String(), ...figures })),
  /** The figures for each site. `site` is an ID, or `own`. `name` is null for our own pages and for deleted sites. */
  sites: Type.Array(
    Type.Object({ site: Type.String(), name: Type.Union([Type.String(), Type.Null()]), ...figures }),
  ),
})
export type Report = Static<typeof ReportSchema>

export const ReportConversationsQuerySchema = Type.Object({
  ...filters,
  /** One hour in `zone`, inside the range, as `YYYY-MM-DDTHH`. The default is the whole range. */
  at: Type.Optional(Type.String({ pattern: String.raw`^\d{4}-\d{2}-\d{2}T\d{2}$` })),
  /** `slow` means waits above the range's p90. */
  kind: Type.Union([Type.Literal('missed'), Type.Literal('slow'), Type.Literal('episodes')]),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: REPORT_PAGE_MAX })),
  /** The previous answer's `next`. */
  cursor: Type.Optional(Type.String({ pattern: String.raw`^\d{1,9}\.\d{1,9}\.\d{1,9}$` })),
})
export type ReportConversationsQuery = Static<typeof ReportConversationsQuerySchema>

/** The name that the visitor claims; null if it is unknown. */
const VisitorNameSchema = Type.Union([Type.String(), Type.Null()])

/** Conversations in the order of the quarter-hours in which they began, without erased ones. */
export const ReportConversationsSchema = Type.Object({
  conversations: Type.Array(
    Type.Object({
      clientId: Type.String(),
      name: VisitorNameSchema,
      /** When the episode or the wait began, in ISO 8601. */
      at: Type.String(),
      /** A slow wait's seconds; null for an episode. */
      seconds: SecondsSchema,
    }),
  ),
  /** Null at the end. Pages before the end can be short or empty. */
  next: Type.Union([Type.String(), Type.Null()]),
})
export type ReportConversations = Static<typeof ReportConversationsSchema>

export const NowSchema = Type.Object({
  /** Conversations whose visitor has no answer yet, open or snoozed. */
  waiting: Type.Object({
    count: Type.Integer(),
    /** The time in ISO 8601. Null if none waits. */
    longestSince: Type.Union([Type.String(), Type.Null()]),
    /** The conversations that wait longest, in that order, at most NOW_WAITING_MAX. */
    conversations: Type.Array(
      Type.Object({ clientId: Type.String(), name: VisitorNameSchema, since: Type.String() }),
    ),
  }),
  /** Open conversations, answered or not. */
  open: Type.Integer(),
  /** Visitors with a conversation and an open socket. Null with polling, where the number is unknown. */
  visitorsOnline: Type.Union([Type.Integer(), Type.Null()]),
  adminsOnline: Type.Integer(),
  /** Active admins on duty, online or not. */
  onDuty: Type.Integer(),
  /** First waits by the clock that began today, in the opening hours' zone, and were answered. */
  firstWait: Type.Object({
    date: DateSchema,
    zone: Type.String(),
    ...DurationsSchema.properties,
    /** The first waits on the same weekday in the four weeks before, together. */
    weekday: DurationsSchema,
  }),
})
export type Now = Static<typeof NowSchema>
