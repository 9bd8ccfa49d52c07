import {
  bitOf,
  type DeliveryBounds,
  type DeliveryRules,
  eventsOf,
  IDLE,
  NO_PART,
  NO_PARTS,
  nameOf,
  type Part,
  partOf,
  type Row,
  type Run,
  type State,
  type Store,
  versionAfter,
  withRun,
  written,
} from './delivery-state.ts'
import type { Step } from './explore.ts'

/** Returns what a run can do next, the best first. Each step names the call that does it. */
export function stepsOfRun(
  state: State,
  index: 0 | 1,
  rules: DeliveryRules,
  bounds: DeliveryBounds,
): Step<State>[] {
  return new RunSteps(state, index, rules, bounds).list()
}

class RunSteps {
  readonly #state: State
  readonly #index: 0 | 1
  readonly #rules: DeliveryRules
  readonly #bounds: DeliveryBounds
  readonly #run: Run
  readonly #primary: Store
  /** What reads of what the majority has show. */
  readonly #shown: Store
  readonly #steps: Step<State>[] = []

  constructor(state: State, index: 0 | 1, rules: DeliveryRules, bounds: DeliveryBounds) {
    this.#state = state
    this.#index = index
    this.#rules = rules
    this.#bounds = bounds
    this.#run = state.runs[index]
    this.#primary = state.stores.at(-1) as Store
    this.#shown = (state.isBehind ? state.earlier : state.stores[0]) as Store
  }

  list(): Step<State>[] {
    if (this.#run.waits > 0) return []
    const { at } = this.#run
    if (at === 'idle') this.#begin()
    else if (at === 'began') this.#listRetries()
    else if (at === 'walks') this.#readLog()
    else if (at === 'finds') this.#findRetry()
    else if (at === 'holds') this.#leaveToRetry()
    else if (at === 'posts') this.#post()
    else if (at === 'moves') this.#movePosition()
    else if (at === 'looks') this.#lookForNext()
    else if (at === 'ends') this.#endRetry()
    else this.#moveReplay()
    return this.#steps
  }

  /** A step that changes no row. */
  #go(what: string, to: Partial<Run>, also: Partial<State> = {}): void {
    const next = withRun({ ...this.#state, ...also }, this.#index, { ...this.#run, ...to })
    this.#steps.push([`${nameOf(this.#index)} ${what}`, next])
  }

  /** A write. In a replica set, the run goes on when the majority has it. */
  #write(what: string, to: Partial<Run> | null, store: Store | null): void {
    const state = store === null ? this.#state : written(this.#state, this.#bounds, store)
    const waits = state.stores.length - 1
    const run = {
      ...(to === null ? IDLE : { ...this.#run, ...to }),
      waits,
      before: waits > 0 ? this.#run : null,
    }
    this.#steps.push([`${nameOf(this.#index)} ${what}`, withRun(state, this.#index, run)])
  }

  #withRow(subject: string, row: Row | null): Store {
    const { rows } = this.#primary
    return { ...this.#primary, rows: subject === 'x' ? [row, rows[1] ?? null] : [rows[0] ?? null, row] }
  }

  #withPart(subject: string, change: Partial<Part>): readonly Part[] {
    return this.#run.parts.map((part, index) => (index === partOf(subject) ? { ...part, ...change } : part))
  }

  /** `endpoints.find` in the handler of `createWebhookHandler`. */
  #begin(): void {
    const { position, replay } = this.#shown
    this.#go(`reads the position ${position}`, {
      at: 'began',
      position,
      after: position,
      reached: position,
      replay,
    })
  }

  /** `retries.list` in `step`. All retries that are due, or some; a run that believes the endpoint down does not walk. */
  #listRetries(): void {
    const { position } = this.#run
    const retryOf = (subject: string): Part => {
      const row = this.#shown.rows[partOf(subject)] ?? null
      return row !== null && row.event <= position ? { ...NO_PART, retry: row, next: row.event } : NO_PART
    }
    const due = [retryOf('x'), retryOf('y')] as const
    const isDue = ({ retry }: Part) => retry !== null
    const choices = [due, [due[0], NO_PART], [NO_PART, due[1]], NO_PARTS].filter(
      (parts, at, all) =>
        at === 0 ||
        all.findIndex((other) =>
          parts.every((part, subject) => isDue(part) === isDue(other[subject] as Part)),
        ) === at,
    )
    for (const parts of choices) {
      const shown = parts.flatMap((part, subject) =>
        part.retry === null ? [] : [`${'xy'[subject]} from ${part.next}`],
      )
      const what = shown.length === 0 ? 'posts no retry' : `posts the retries of ${shown.join(' and ')}`
      this.#go(`${what}, and walks`, { at: 'walks', parts })
      if (shown.length > 0) this.#go(`${what}, and does not walk`, { at: 'posts', parts })
    }
  }

  /** `events.after` in the walk. */
  #readLog(): void {
    const { after, isReplaying } = this.#run
    const { log } = this.#shown
    const to = isReplaying ? this.#replayEnd() : log.length
    const reached = Math.max(after, Math.min(log.length, after + this.#bounds.step, to))
    if (reached === after) {
      this.#go('finds no event', { at: isReplaying ? 'replays' : 'posts' })
      return
    }
    const todo = [...new Set(log.slice(after, reached))].join('')
    this.#go(`reads the events up to ${reached}`, { at: 'finds', reached, todo })
  }

  #replayEnd(): number {
    const { to = 0 } = this.#run.replay ?? {}
    return this.#rules.replayWaits ? Math.min(to, this.#run.position) : to
  }

  /** `retries.find` in `hold`. */
  #findRetry(): void {
    const { todo, after, reached } = this.#run
    const subject = todo[0] as string
    const row = (this.#rules.asksForRetry ? this.#primary : this.#shown).rows[partOf(subject)] ?? null
    const events = eventsOf(this.#primary.log, subject, after + 1, reached)
    if (row === null || events.every((event) => event < row.event) || !this.#rules.leaves) {
      this.#go(`finds no retry of ${subject} for them`, this.#afterFound({ chain: events }))
      return
    }
    this.#go(`finds the retry of ${subject} from ${row.event}`, { at: 'holds', found: row })
  }

  #afterFound(change: Partial<Part>): Partial<Run> {
    const { todo } = this.#run
    const parts = this.#withPart(todo[0] as string, change)
    const left = todo.slice(1)
    const posts = this.#rules.movesLast || this.#run.isReplaying ? 'posts' : 'moves'
    return { at: left === '' ? posts : 'finds', parts, todo: left, found: null }
  }

  /** `retries.settle` in `hold`. */
  #leaveToRetry(): void {
    const { todo, after, reached } = this.#run
    const subject = todo[0] as string
    const found = this.#run.found as Row
    const row = this.#primary.rows[partOf(subject)]
    if (row?.version !== found.version) {
      this.#write(`finds the retry of ${subject} changed`, { at: 'finds', found: null }, null)
      return
    }
    const changed = this.#rules.leavingChanges ? { ...found, version: versionAfter(this.#state) } : found
    const chain = eventsOf(this.#primary.log, subject, after + 1, reached).filter(
      (event) => event < found.event,
    )
    const { retry } = this.#run.parts[partOf(subject)] as Part
    const posted = retry === null || this.#run.isReplaying ? {} : { retry: changed, next: changed.event }
    const store = this.#rules.leavingChanges ? this.#withRow(subject, changed) : null
    this.#write(`leaves the events of ${subject} to its retry`, this.#afterFound({ chain, ...posted }), store)
  }

  /** `postChain` and `postRetry`, with `events.afterOf`, at once for several conversations. */
  #post(): void {
    for (const subject of ['x', 'y']) {
      const part = this.#run.parts[partOf(subject)] as Part
      if (part.put > 0) this.#putRetry(subject, part)
      else if (part.chain[0] !== undefined) this.#postChain(subject, part, part.chain[0])
      if (part.refused > 0) this.#moveRetry(subject, part)
      else if (part.retry !== null && !part.isOver) this.#postRetry(subject, part)
    }
    if (this.#steps.length > 0) return
    const { position, reached, isReplaying } = this.#run
    if (isReplaying) this.#go('has posted the step of the replay', { at: 'replays' })
    else if (reached > position && this.#rules.movesLast) this.#go('has posted its step', { at: 'moves' })
    else this.#go('has posted its step', this.#afterPosition())
  }

  #afterPosition(): Partial<Run> {
    const todo = ['x', 'y'].filter((subject) => this.#run.parts[partOf(subject)]?.isOver).join('')
    return todo === '' ? this.#afterRetries() : { at: 'looks', todo }
  }

  /** The run goes on with a step of a replay, or ends. */
  #afterRetries(): Partial<Run> {
    const { replay, reached } = this.#run
    if (replay === null || (this.#rules.replayWaits && reached < replay.to && reached <= replay.after))
      return IDLE
    const range = { position: reached, after: replay.after, reached: replay.after }
    return { ...IDLE, ...range, at: 'walks', isReplaying: true, replay }
  }

  #postChain(subject: string, { chain }: Part, event: number): void {
    const taken = this.#takes(event)
    const what = `posts ${event} of ${subject}`
    this.#go(`${what}, which is taken`, { parts: this.#withPart(subject, { chain: chain.slice(1) }) }, taken)
    if (this.#state.failures === 0) return
    const failures = this.#state.failures - 1
    const to = { parts: this.#withPart(subject, { chain: [], put: event }) }
    this.#go(`${what}, which is refused`, to, { failures })
    this.#go(`${what}, which is taken, and the answer is lost`, to, { ...taken, failures })
  }

  #postRetry(subject: string, { retry, next }: Part): void {
    const { log } = this.#rules.asksForNext ? this.#primary : this.#shown
    const end = Math.min(this.#run.position, log.length)
    const [event] = eventsOf(this.#primary.log, subject, next, end)
    if (event === undefined) {
      const to =
        eventsOf(this.#primary.log, subject, (retry as Row).event, Math.min(next - 1, end)).at(-1) ?? next - 1
      this.#go(`has posted what the retry of ${subject} holds`, {
        parts: this.#withPart(subject, { isOver: true, next: to + 1 }),
      })
      return
    }
    const taken = this.#takes(event)
    const what = `posts ${event} of ${subject} again`
    const onward = { parts: this.#withPart(subject, { next: event + 1 }) }
    this.#go(`${what}, which is taken`, onward, taken)
    if (this.#state.failures === 0) return
    const failures = this.#state.failures - 1
    const to = { parts: this.#withPart(subject, { refused: event }) }
    this.#go(`${what}, which is refused`, to, { failures })
    this.#go(`${what}, which is taken, and the answer is lost`, to, { ...taken, failures })
    this.#go(`${what}, which is given up`, onward, { ...taken, failures })
  }

  #takes(event: number): Partial<State> {
    const { over, again } = this.#state
    return { over: over | bitOf(event), again: again & ~bitOf(event) }
  }

  /** `retries.put` in `postChain`. */
  #putRetry(subject: string, { put }: Part): void {
    const row = this.#primary.rows[partOf(subject)] ?? null
    const isHeld = this.#rules.putsEarlier && row !== null && row.event <= put
    const store = isHeld ? null : this.#withRow(subject, { event: put, version: versionAfter(this.#state) })
    this.#write(
      `puts a retry of ${subject} from ${put}${isHeld ? ', which is there' : ''}`,
      { parts: this.#withPart(subject, { put: 0 }) },
      store,
    )
  }

  /** `retries.settle` in `postRetry`. */
  #moveRetry(subject: string, { retry, refused }: Part): void {
    const to = { parts: this.#withPart(subject, { retry: null, refused: 0, next: 0 }) }
    this.#settle(subject, retry as Row, refused, to)
  }

  #settle(subject: string, posted: Row, event: number, to: Partial<Run>): void {
    const isSame =
      !this.#rules.comparesRetry || this.#primary.rows[partOf(subject)]?.version === posted.version
    const row = event === 0 ? null : { event, version: versionAfter(this.#state) }
    const what =
      event === 0 ? `removes the retry of ${subject}` : `leaves the retry of ${subject} from ${event}`
    this.#write(
      isSame ? what : `finds the retry of ${subject} changed`,
      to,
      isSame ? this.#withRow(subject, row) : null,
    )
  }

  /** `endpoints.update` of the position in `step`. */
  #movePosition(): void {
    const { position, reached } = this.#run
    if (this.#rules.comparesPosition && this.#primary.position !== position) {
      this.#write('finds the position moved', null, null)
      return
    }
    const to = this.#rules.movesLast ? this.#afterPosition() : { at: 'posts' as const, position: reached }
    this.#write(`writes the position ${reached}`, to, { ...this.#primary, position: reached })
  }

  /** `events.afterOf` in `settle`. */
  #lookForNext(): void {
    const subject = this.#run.todo[0] as string
    const { next } = this.#run.parts[partOf(subject)] as Part
    const { log } = this.#rules.asksForNext ? this.#primary : this.#shown
    const left = this.#rules.keeps ? (eventsOf(log, subject, next, log.length)[0] ?? 0) : 0
    this.#go(`looks for the next event of ${subject}: ${left || 'none'}`, { at: 'ends', left })
  }

  /** `retries.settle` in `settle`. */
  #endRetry(): void {
    const { todo, left } = this.#run
    const subject = todo[0] as string
    const { retry } = this.#run.parts[partOf(subject)] as Part
    const rest = todo.slice(1)
    const to: Partial<Run> = rest === '' ? this.#afterRetries() : { at: 'looks', todo: rest, left: 0 }
    this.#settle(subject, retry as Row, left, to)
  }

  /** `endpoints.update` of the range in `replayStep`. */
  #moveReplay(): void {
    const { replay, reached } = this.#run
    const { to, version } = replay as NonNullable<Store['replay']>
    const now = this.#primary.replay
    const isSame = now !== null && (!this.#rules.comparesReplay || now.version === version)
    if (!isSame) {
      this.#write('finds another replay', null, null)
      return
    }
    const isAtEnd = reached >= this.#replayEnd()
    const next = isAtEnd && this.#replayEnd() === to ? null : { ...now, after: reached }
    this.#write(next === null ? 'ends the replay' : `moves the replay to ${reached}`, null, {
      ...this.#primary,
      replay: next,
    })
  }
}
