/**
 * The protocol of webhook delivery as a model: two runs post the events of one conversation to one endpoint. One transition
 * is one call of the store or one request, any time passes between two, a run may end anywhere, and whether a retry is due
 * or the endpoint counts as down is any choice. All states are visited, the nearest first, so that a violation comes with
 * its shortest trace.
 * @see docs/decisions/0104-two-runs-at-once.md
 */
interface Rules {
  /** A retry that is over is kept for the next event. */
  keeps: boolean
  /** What leaves events to a retry changes it. */
  holdChanges: boolean
  /** The position is written before a retry is removed, also when it does not move. */
  confirms: boolean
}

interface Bounds {
  events: number
  /** Events that one walk takes. */
  step: number
  refusals: number
  /** Whether a run may end anywhere. */
  deaths: boolean
  /** Once, reads can show an earlier moment, until the next write: those of a new primary that is behind. */
  failover: boolean
}

interface Visited {
  states: number
  /** The steps up to the first violation. Null if there was none. */
  violation: string[] | null
}

/** Those of the product. */
export const RULES: Rules = { keeps: true, holdChanges: true, confirms: true }
export const WITH_DEATHS: Bounds = { events: 3, step: 2, refusals: 1, deaths: true, failover: false }
export const WITH_FAILOVER: Bounds = { events: 2, step: 2, refusals: 1, deaths: true, failover: true }

/** A retry: its event, and its version, which tells it from what it was. */
type Row = [event: number, version: number]

interface Run {
  at:
    | 'idle'
    | 'began'
    | 'walks'
    | 'finds'
    | 'holds'
    | 'posts'
    | 'puts'
    | 'settles'
    | 'moves'
    | 'looks'
    | 'ends'
  /** The position that it read, and the last event that its walk took. */
  after?: number
  reached?: number
  /** New events to post, and the retry to post with the next of its events. */
  chain?: number[]
  retry?: Row | null
  next?: number
  isOver?: boolean
  /** The retry that its walk found. */
  found?: Row
  /** The event of a refusal, or the event that is left when a retry is over; 0: none. */
  left?: number
}

interface Shown {
  last: number
  position: number
  row: Row | null
}

interface State extends Shown {
  /** A bit for each event. */
  taken: number
  refusals: number
  earlier: Shown | 'used' | null
  isBehind: boolean
  runs: [Run, Run]
}

type Step = [what: string, state: State]

export function visitAll(rules: Rules, bounds: Bounds): Visited {
  const first: State = {
    ...{ last: 1, position: 0, row: null, taken: 0, refusals: bounds.refusals },
    ...{ earlier: null, isBehind: false, runs: [{ at: 'idle' }, { at: 'idle' }] },
  }
  const known = new Set([keyOf(first)])
  const states: { state: State; from: number; what: string }[] = [{ state: first, from: -1, what: '' }]
  for (let index = 0; index < states.length; index += 1) {
    for (const [what, next] of steps((states[index] as { state: State }).state, rules, bounds)) {
      const key = keyOf(next)
      if (known.has(key)) continue
      known.add(key)
      states.push({ state: next, from: index, what })
      const wrong = violationOf(next, bounds)
      if (wrong === null) continue
      const trace = [wrong]
      for (let at = states.length - 1; at > 0; at = states[at]?.from ?? 0)
        trace.unshift(states[at]?.what ?? '')
      return { states: states.length, violation: trace }
    }
  }
  return { states: states.length, violation: null }
}

/** A new primary that is behind can hide a retry from a walk, so after a failover only what is lost counts. */
function violationOf({ position, row, taken, last }: State, { failover }: Bounds): string | null {
  const isTaken = (event: number) => (taken & (1 << event)) !== 0
  for (let event = 1; event <= last; event += 1) {
    const isHeld = row !== null && row[0] <= event
    if (event <= position && !isTaken(event) && !isHeld) return `event ${event} is lost`
    if (!failover && !isTaken(event) && taken >> (event + 1) !== 0) return `event ${event} is overtaken`
  }
  return null
}

function* steps(state: State, rules: Rules, bounds: Bounds): Iterable<Step> {
  if (state.last < bounds.events)
    yield change('an event arrives', state, (to) => {
      to.last += 1
    })
  if (bounds.failover && state.earlier === null) {
    const { last, position, row } = state
    yield change('(a new primary will show this moment)', state, (to) => {
      to.earlier = { last, position, row }
    })
  }
  const looks = state.runs.some(({ at }) => at === 'looks')
  if (state.earlier !== null && state.earlier !== 'used' && !state.isBehind && !looks) {
    yield change('a new primary is behind', state, (to) => {
      to.isBehind = true
    })
  }
  for (const index of [0, 1] as const) {
    const name = index === 0 ? 'A' : 'B'
    for (const [what, next] of moves(state, index, rules, bounds)) yield [`${name} ${what}`, next]
    if (bounds.deaths && state.runs[index].at !== 'idle')
      yield change(`${name} dies`, state, (to) => end(to, index))
  }
}

function* moves(state: State, index: 0 | 1, rules: Rules, { step }: Bounds): Iterable<Step> {
  const run = state.runs[index]
  const shown = state.isBehind ? (state.earlier as Shown) : state
  const { after = 0, reached = 0, chain = [], retry = null, next = 0, left = 0 } = run
  const go = (what: string, to: Partial<Run>, then = (_: State) => {}): Step =>
    change(what, state, (changed) => {
      changed.runs[index] = { ...changed.runs[index], ...to }
      then(changed)
    })
  const write = (what: string, to: Partial<Run>, apply: (_: State) => void): Step =>
    go(what, to, (changed) => {
      if (changed.isBehind) Object.assign(changed, { isBehind: false, earlier: 'used' })
      apply(changed)
      if (changed.runs[index].at === 'idle') end(changed, index)
    })

  switch (run.at) {
    case 'idle':
      yield go(`reads the position ${shown.position}`, { at: 'began', after: shown.position })
      return
    case 'began': {
      const to = { reached: after, chain: [], retry: null }
      yield go('posts no retry, and walks', { ...to, at: 'walks' })
      const { row } = shown
      if (row === null || row[0] > after) return
      const due = { ...to, retry: row, next: row[0] }
      yield go(`posts the retry from ${row[0]}, and walks`, { ...due, at: 'walks' })
      yield go(`posts the retry from ${row[0]}, and does not walk`, { ...due, at: 'posts' })
      return
    }
    case 'walks': {
      const to = Math.min(shown.last, after + step)
      if (to <= after) yield go('finds no new event', { at: 'posts' })
      else yield go(`finds events up to ${to}`, { at: 'finds', reached: to })
      return
    }
    case 'finds': {
      const { row } = shown
      const events = between(after + 1, reached)
      if (row === null || row[0] > reached)
        yield go('finds no retry for them', { at: 'posts', chain: events })
      else yield go(`finds the retry from ${row[0]}`, { at: 'holds', found: row })
      return
    }
    case 'holds': {
      const found = run.found as Row
      if (!isSame(state.row, found)) {
        yield write('finds it changed', { at: 'finds' }, () => {})
        return
      }
      const changed: Row = rules.holdChanges ? [found[0], freshVersion(state)] : found
      const posted = retry === null ? {} : { retry: changed, next: changed[0] }
      const before = between(after + 1, reached).filter((event) => event < found[0])
      yield write('leaves the events to it', { ...posted, at: 'posts', chain: before }, (to) => {
        to.row = changed
      })
      return
    }
    case 'posts': {
      if (chain[0] !== undefined) {
        const [event, ...rest] = chain
        yield go(`posts ${event}, which is taken`, { chain: rest }, (to) => {
          to.taken |= 1 << event
        })
        if (state.refusals > 0) {
          yield go(`posts ${event}, which is refused`, { at: 'puts', chain: [], left: event }, (to) => {
            to.refusals -= 1
          })
        }
      }
      if (retry !== null && next <= after) {
        yield go(`posts ${next} again, which is taken`, { next: next + 1 }, (to) => {
          to.taken |= 1 << next
        })
        if (state.refusals > 0) {
          yield go(`posts ${next} again, which is refused`, { at: 'settles', left: next }, (to) => {
            to.refusals -= 1
          })
        }
      }
      if (chain.length > 0 || (retry !== null && next <= after)) return
      const isOver = retry !== null
      if (reached === after && !isOver) yield change('has nothing to do', state, (to) => end(to, index))
      else if (reached === after && !rules.confirms) yield go('is done', { at: 'looks', isOver })
      else yield go('is done', { at: 'moves', isOver })
      return
    }
    case 'puts':
      yield write(`puts a retry from ${left}`, { at: 'posts' }, (to) => {
        if (to.row === null || to.row[0] > left) to.row = [left, freshVersion(to)]
      })
      return
    case 'settles':
      yield write(`leaves the retry from ${left}`, { at: 'posts', retry: null }, (to) => {
        if (isSame(to.row, retry)) to.row = [left, freshVersion(to)]
      })
      return
    case 'moves':
      if (state.position !== after) yield write('finds the position moved', { at: 'idle' }, () => {})
      else {
        yield write(`writes the position ${reached}`, { at: run.isOver ? 'looks' : 'idle' }, (to) => {
          to.position = reached
        })
      }
      return
    case 'looks': {
      const after = rules.keeps && next <= shown.last ? next : 0
      yield go(`looks for what follows: ${after || 'nothing'}`, { at: 'ends', left: after })
      return
    }
    case 'ends':
      yield write(left > 0 ? `keeps the retry from ${left}` : 'removes the retry', { at: 'idle' }, (to) => {
        if (isSame(to.row, retry)) to.row = left > 0 ? [left, freshVersion(to)] : null
      })
  }
}

function change(what: string, state: State, apply: (state: State) => void): Step {
  const to: State = { ...state, runs: [...state.runs] }
  apply(to)
  return [what, to]
}

function end(state: State, index: 0 | 1): void {
  state.runs[index] = { at: 'idle' }
}

function between(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
}

function isSame(one: Row | null, other: Row | null): boolean {
  return one !== null && other !== null && one[0] === other[0] && one[1] === other[1]
}

function rowsIn({ row, earlier, runs }: State): Row[] {
  const known = [
    row,
    earlier === 'used' ? null : earlier?.row,
    ...runs.flatMap((run) => [run.retry, run.found]),
  ]
  return known.filter((each) => each != null)
}

/** As a time that no run knows. */
function freshVersion(state: State): number {
  return Math.max(-1, ...rowsIn(state).map(([, version]) => version)) + 1
}

/** Versions count only by being equal, and the two runs are alike. */
function keyOf(state: State): string {
  const names = new Map<number, number>()
  const named = (row: Row | null | undefined) => {
    if (row == null) return row
    if (!names.has(row[1])) names.set(row[1], names.size)
    return [row[0], names.get(row[1])]
  }
  const { last, position, row, taken, refusals, earlier, isBehind, runs } = state
  const [one, other] = runs.map((run) => JSON.stringify(run)) as [string, string]
  const ordered = one > other ? [runs[1], runs[0]] : runs
  const before = earlier === null || earlier === 'used' ? earlier : { ...earlier, row: named(earlier.row) }
  return JSON.stringify([
    last,
    position,
    named(row),
    taken,
    refusals,
    before,
    isBehind,
    ...ordered.map((run) => ({ ...run, retry: named(run.retry), found: named(run.found) })),
  ])
}
