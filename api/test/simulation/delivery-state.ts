export interface DeliveryRules {
  /** The events behind a retry are left to it. */
  leaves: boolean
  /** Leaving events to a retry changes it. */
  leavingChanges: boolean
  /** A retry replaces none for the same or an earlier event. */
  putsEarlier: boolean
  /** A retry that is over is kept for the next event. */
  keeps: boolean
  /** A retry is changed or removed only as it was when it was posted. */
  comparesRetry: boolean
  /** The position is written only if it is the one that was read. */
  comparesPosition: boolean
  /** The position is written after the requests. */
  movesLast: boolean
  /** The walk asks the primary itself for a conversation's retry. */
  asksForRetry: boolean
  /** Before a retry is removed, the primary itself is asked for the next event. */
  asksForNext: boolean
  /** A replay ends only if the endpoint has the version that was read. */
  comparesReplay: boolean
  /** A replay waits for the position. */
  replayWaits: boolean
}

export interface DeliveryBounds {
  events: number
  /** How many events a conversation has at most, and how many conversations there are: 1 or 2. */
  each: number
  conversations: 1 | 2
  /** Events that one walk takes. */
  step: number
  /** How many requests are refused, or taken without an answer. */
  failures: number
  replays: number
  /** Whether, once, a new primary has not all writes, and shows as the majority's an earlier moment. */
  failover: boolean
}

/** The product keeps all rules. */
export const DELIVERY_RULES: DeliveryRules = {
  ...{ leaves: true, leavingChanges: true, putsEarlier: true, keeps: true, comparesRetry: true },
  ...{ comparesPosition: true, movesLast: true, asksForRetry: true, asksForNext: true },
  ...{ comparesReplay: true, replayWaits: true },
}

/** A retry: its event, and its version, which tells it from what it was. */
export interface Row {
  event: number
  version: number
}

export interface Replay {
  after: number
  to: number
  version: number
}

/** What one moment of the store has. */
export interface Store {
  /** The conversation of each event, x or y. */
  log: string
  position: number
  /** The retries of x and y. */
  rows: readonly (Row | null)[]
  replay: Replay | null
}

/** What a run does for one conversation. */
export interface Part {
  /** The events to post that no retry holds. */
  chain: readonly number[]
  /** The event of a refusal that has no retry yet. 0: none. */
  put: number
  /** The retry that is posted, from which event on, and the event at which it was refused. */
  retry: Row | null
  next: number
  refused: number
  isOver: boolean
}

export type At =
  | 'idle'
  | 'began'
  | 'walks'
  | 'finds'
  | 'holds'
  | 'posts'
  | 'moves'
  | 'looks'
  | 'ends'
  | 'replays'
export const ATS: At[] = [
  'idle',
  'began',
  'walks',
  'finds',
  'holds',
  'posts',
  'moves',
  'looks',
  'ends',
  'replays',
]

export interface Run {
  at: At
  /** The position and the replay that were read. */
  position: number
  replay: Replay | null
  isReplaying: boolean
  /** The walk's range. */
  after: number
  reached: number
  parts: readonly Part[]
  /** The conversations that are still to be found or settled. */
  todo: string
  found: Row | null
  /** The event for which a retry is kept. 0: none. */
  left: number
  /** How many commits are missing until the run's write is acknowledged, and what the run was before it. */
  waits: number
  before: Run | null
}

export interface State {
  /** As the majority has it, and after each write that the majority does not have yet. The last one is the primary's. */
  stores: readonly Store[]
  /** The moment that a new primary will show as the majority's. */
  earlier: Store | 'used' | null
  isBehind: boolean
  /** Whether the position went back. */
  wentBack: boolean
  /** The events that were taken or given up, and those that admins asked for again, a bit each. */
  over: number
  again: number
  failures: number
  replays: number
  runs: readonly [Run, Run]
}

export const NO_PART: Part = { chain: [], put: 0, retry: null, next: 0, refused: 0, isOver: false }
export const NO_PARTS = [NO_PART, NO_PART]
export const IDLE: Run = {
  ...{ at: 'idle', position: 0, replay: null, isReplaying: false, after: 0, reached: 0 },
  ...{ parts: NO_PARTS, todo: '', found: null, left: 0, waits: 0, before: null },
}

export function nameOf(index: 0 | 1): string {
  return index === 0 ? 'A' : 'B'
}

export function written(state: State, { failover }: DeliveryBounds, store: Store): State {
  if (failover) return { ...state, stores: [...state.stores, store] }
  return { ...state, stores: [store], wentBack: goesBack(state, [store]) }
}

/** Tells whether the majority's position would be before the one that it has. */
export function goesBack({ stores: [before] }: State, [after]: readonly Store[]): boolean {
  return before !== undefined && after !== undefined && after.position < before.position
}

export function withRun(state: State, index: 0 | 1, run: Run): State {
  return { ...state, runs: index === 0 ? [run, state.runs[1]] : [state.runs[0], run] }
}

export function partOf(conversation: string): 0 | 1 {
  return conversation === 'x' ? 0 : 1
}

export function bitOf(event: number): number {
  return 1 << event
}

export function has(bits: number, event: number): boolean {
  return (bits & bitOf(event)) !== 0
}

export function between(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}

/** Returns the conversation's events from one to another. */
export function eventsOf(log: string, conversation: string, first: number, last: number): number[] {
  return between(first, Math.min(last, log.length)).filter((event) => log[event - 1] === conversation)
}

/** Returns a version that no row and no run has. */
export function versionAfter({ stores, earlier, runs }: State): number {
  let newest = 0
  const see = (found: { version: number } | null | undefined) => {
    if (found && found.version > newest) newest = found.version
  }
  const seeRun = (run: Run) => {
    see(run.replay)
    see(run.found)
    for (const part of run.parts) see(part.retry)
    if (run.before !== null) seeRun(run.before)
  }
  for (const store of earlier === null || earlier === 'used' ? stores : [...stores, earlier]) {
    see(store.replay)
    for (const row of store.rows) see(row)
  }
  for (const run of runs) seeRun(run)
  return newest + 1
}
