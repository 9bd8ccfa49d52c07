import {
  ATS,
  between,
  bitOf,
  type DeliveryBounds,
  type DeliveryRules,
  goesBack,
  has,
  IDLE,
  nameOf,
  partOf,
  type Row,
  type Run,
  type State,
  type Store,
  versionAfter,
  withRun,
  written,
} from './delivery-state.ts'
import { stepsOfRun } from './delivery-steps.ts'
import type { Model, Step } from './explore.ts'

/**
 * The delivery of webhooks as a model: two nodes run one endpoint's job at once, whatever the claims say. Any time passes between two
 * steps, so a pause of a node needs no step of its own. Whether a retry is due and whether the endpoint counts as down is
 * any choice. Events arrive in any order of their conversations, which is all that numbering does to delivery.
 * @see docs/EVENTS-PROTOCOL.md
 */
export function deliveryModel(rules: DeliveryRules, bounds: DeliveryBounds): Model<State> {
  const store: Store = { log: '', position: 0, rows: [null, null], replay: null }
  return {
    first: {
      ...{
        stores: [store],
        earlier: null,
        isBehind: false,
        wentBack: false,
        over: 0,
        again: 0,
        failures: bounds.failures,
      },
      ...{ replays: bounds.replays, runs: [IDLE, IDLE] },
    },
    stepsOf: (state) => stepsOf(state, rules, bounds),
    keyOf,
    violationOf: (state) => violationOf(state),
    isDone({ stores: [found, ...pending], isBehind, again, runs }) {
      const { log, position, rows, replay } = found as Store
      const isAtEnd = position === bounds.events && log.length === position && replay === null && again === 0
      return isAtEnd && pending.length === 0 && !isBehind && rows.every(isNull) && runs.every(isIdle)
    },
  }
}

/** The majority lacks fewer writes than this. */
const STORES_MAX = 2

const isNull = (row: Row | null) => row === null
const isIdle = ({ at, waits }: Run) => at === 'idle' && waits === 0

function violationOf({ stores, over, again, wentBack }: State): string | null {
  if (wentBack) return 'the position goes back'
  for (const { log, position, rows, replay } of stores) {
    for (let event = 1; event <= log.length; event += 1) {
      const subject = log[event - 1] as string
      const row = rows[partOf(subject)] ?? null
      if (row !== null && row.event <= event) continue
      if (event <= position && !has(over, event)) return `event ${event} of ${subject} is lost`
      if (replay === null && has(again, event)) return `event ${event} of ${subject} is not posted again`
    }
  }
  const { log } = stores.at(-1) as Store
  for (let event = 1; event <= log.length; event += 1) {
    if (has(over, event)) continue
    const early = between(event + 1, log.length).find(
      (each) => log[each - 1] === log[event - 1] && has(over, each),
    )
    if (early !== undefined) return `event ${early} of ${log[event - 1]} is taken before event ${event}`
  }
  return null
}

function stepsOf(state: State, rules: DeliveryRules, bounds: DeliveryBounds): Step<State>[] {
  const steps: Step<State>[] = []
  const primary = state.stores.at(-1) as Store
  const { log } = primary
  if (state.stores.length > 1) steps.push(['the majority has the next write', commit(state)])
  if (state.isBehind)
    steps.push(['the new primary is no longer behind', { ...state, isBehind: false, earlier: 'used' }])
  if (state.stores.length > STORES_MAX) return [...steps, ...failoversOf(state)]
  const isBusy = !state.runs.every(isIdle)
  for (const index of [0, 1] as const) {
    if (isBusy && isIdle(state.runs[index])) continue
    steps.push(...stepsOfRun(state, index, rules, bounds))
  }
  if (log.length < bounds.events) {
    const arrivals: Step<State>[] = []
    for (const subject of log === '' || bounds.conversations === 1 ? ['x'] : ['x', 'y']) {
      if (countOf(log, subject) < bounds.each)
        arrivals.push([
          `event ${log.length + 1} of ${subject} gets its number`,
          written(state, bounds, { ...primary, log: log + subject }),
        ])
    }
    if (isBusy) steps.push(...arrivals)
    else steps.unshift(...arrivals)
  }
  for (const index of [0, 1] as const) {
    const run = state.runs[index]
    if (isBusy && isIdle(run)) steps.push(...stepsOfRun(state, index, rules, bounds))
    if (!isIdle(run)) steps.push([`${nameOf(index)} dies`, withRun(state, index, IDLE)])
  }
  if (state.replays > 0) steps.push(...replaysOf(state, bounds))
  if (bounds.failover) steps.push(...failoversOf(state))
  return steps
}

function countOf(log: string, subject: string): number {
  return log.split(subject).length - 1
}

function* replaysOf(state: State, bounds: DeliveryBounds): Iterable<Step<State>> {
  const store = state.stores.at(-1) as Store
  const version = versionAfter(state)
  for (const from of between(1, store.log.length)) {
    for (const to of between(from, store.log.length)) {
      const { after = from - 1, to: last = to } = store.replay ?? {}
      const replay = { after: Math.min(after, from - 1), to: Math.max(last, to), version }
      const again = between(from, to).reduce((bits, event) => bits | bitOf(event), state.again)
      const next = written(state, bounds, { ...store, replay })
      yield [`an admin asks for ${from} to ${to} again`, { ...next, again, replays: state.replays - 1 }]
    }
  }
}

function* failoversOf(state: State): Iterable<Step<State>> {
  if (state.earlier === null) {
    yield ['(a new primary will show this moment)', { ...state, earlier: state.stores[0] as Store }]
  } else if (state.earlier !== 'used' && !state.isBehind) {
    for (const kept of between(1, state.stores.length)) {
      const isLost = ({ waits }: Run) => waits >= kept
      const stores = state.stores.slice(0, kept)
      const ended = state.runs.map((run) => (isLost(run) ? IDLE : run)) as [Run, Run]
      const what = `a new primary is behind, and lacks ${state.stores.length - kept} writes`
      yield [what, { ...state, stores, isBehind: true, runs: ended }]
      if (!state.runs.some(isLost)) continue
      const repeated = state.runs.map((run) => (isLost(run) ? (run.before ?? IDLE) : run)) as [Run, Run]
      yield [`${what}, which drivers repeat`, { ...state, stores, isBehind: true, runs: repeated }]
    }
  }
}

/** The majority gets the oldest write that it lacks. The run that wrote it goes on. */
function commit(state: State): State {
  const runs = state.runs.map((run) =>
    run.waits === 0 ? run : { ...run, waits: run.waits - 1, before: run.waits === 1 ? null : run.before },
  ) as [Run, Run]
  const earlier = state.isBehind ? 'used' : state.earlier
  const stores = state.stores.slice(1)
  return { ...state, stores, wentBack: goesBack(state, stores), isBehind: false, earlier, runs }
}

/** A version matters only by where else it is, so the first store that has it names it. */
function keyOf(state: State): string {
  const { stores, earlier, isBehind, over, again, failures, replays, runs } = state
  const all = earlier === null || earlier === 'used' ? stores : [...stores, earlier]
  const rowKey = (row: Row | null, subject: number) =>
    row === null
      ? 0
      : row.event * 8 + 1 + all.findIndex(({ rows }) => rows[subject]?.version === row.version) + 1
  const replayKey = (replay: Store['replay']) =>
    replay === null
      ? 0
      : (replay.after * 8 + replay.to) * 8 +
        1 +
        all.findIndex((store) => store.replay?.version === replay.version) +
        1
  const codes: number[] = [over, again, failures * 64 + replays * 16 + (isBehind ? 8 : 0) + stores.length]
  codes.push(earlier === null ? 0 : earlier === 'used' ? 1 : 2)
  for (const { log, position, rows, replay } of all) {
    let order = 1
    for (const subject of log) order = order * 2 + partOf(subject)
    codes.push(order, position, rowKey(rows[0] ?? null, 0), rowKey(rows[1] ?? null, 1), replayKey(replay))
  }
  const runKey = (run: Run): string => {
    const own = [
      ATS.indexOf(run.at) * 16 + run.waits,
      run.position,
      replayKey(run.replay),
      run.isReplaying ? 1 : 0,
    ]
    own.push(
      run.after * 8 + run.reached,
      todoKey(run.todo),
      rowKey(run.found, partOf(run.todo[0] ?? 'x')),
      run.left,
    )
    for (const [subject, part] of run.parts.entries()) {
      const chain = part.chain.reduce((bits, event) => bits | bitOf(event), part.isOver ? 1 : 0)
      own.push(chain, part.put * 8 + part.refused, rowKey(part.retry, subject), part.next)
    }
    return String.fromCharCode(...own) + (run.before === null ? '' : runKey(run.before))
  }
  const [one, other] = runs.map(runKey) as [string, string]
  return String.fromCharCode(...codes) + (one < other ? `${one}|${other}` : `${other}|${one}`)
}

function todoKey(todo: string): number {
  let key = 1
  for (const subject of todo) key = key * 2 + partOf(subject)
  return key
}
