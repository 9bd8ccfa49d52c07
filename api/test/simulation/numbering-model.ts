import type { Model, Step } from './explore.ts'

/**
 * The numbering of events on MongoDB as a model: two nodes number the marked documents of two conversations. A node may stop for any
 * time and die between two calls.
 * @see docs/EVENTS-PROTOCOL.md
 */
export interface NumberingRules {
  /** The write that stores a document marks it. */
  marksWithWrite: boolean
  /** Only what no failover takes back is numbered. */
  readsMajority: boolean
  /** What is before a found document in its conversation is read too. */
  readsBefore: boolean
  /** Messages are read after entries, up to those that the entries follow. */
  readsMessagesOfEntries: boolean
  /** A history that follows an erase waits for the erase's event. */
  waitsForErase: boolean
  /** The events of a conversation are in its order, not in that of clocks. */
  ordersBySequence: boolean
  /** Unique indexes: of the number, and of what the event reports. */
  uniqueNumber: boolean
  uniqueSource: boolean
  /** The insertion stops at the first event that an index refuses. */
  stopsAtRefusal: boolean
  unmarksLast: boolean
  /** What is erased is removed after it has its number. */
  numbersBeforeRemoval: boolean
}

/** The product keeps all rules. */
export const NUMBERING_RULES: NumberingRules = {
  ...{ marksWithWrite: true, readsMajority: true, readsBefore: true, readsMessagesOfEntries: true },
  ...{ waitsForErase: true, ordersBySequence: true, uniqueNumber: true, uniqueSource: true },
  ...{ stopsAtRefusal: true, unmarksLast: true, numbersBeforeRemoval: true },
}

export interface NumberingBounds {
  /** What happens in each conversation: m is a message, e an entry, and E an erase. */
  histories: readonly [x: string, y: string]
  /** Whether, once each, a failover takes a document back, and reads lack the newest event. */
  failover: boolean
}

/** Where a document is: nowhere, on the primary alone, stored and not marked yet, marked, unmarked, or removed again. */
type Stored = 'no' | 'primary' | 'bare' | 'marked' | 'done' | 'removed'
const HAS_NUMBER: ReadonlySet<Stored> = new Set(['done', 'removed'])

interface Doc {
  index: number
  name: string
  kind: string
  conversation: number
  /** How many erases are before it. */
  history: number
}

interface Node {
  at: 'idle' | 'entries' | 'messages' | 'erases' | 'gives' | 'numbers' | 'inserts' | 'unmarks'
  /** The documents that were found, and those whose events are to be inserted, in order. */
  found: readonly number[]
  wanted: readonly number[]
  missing: readonly number[]
  /** The newest number that was read. */
  last: number
}

interface State {
  docs: readonly Stored[]
  events: readonly { number: number; doc: number }[]
  /** Whether a failover may still take a document back, and whether a read may still be behind. */
  mayTakeBack: boolean
  mayBeBehind: boolean
  nodes: readonly [Node, Node]
}

const IDLE: Node = { at: 'idle', found: [], wanted: [], missing: [], last: 0 }

export function numberingModel(
  rules: NumberingRules,
  { histories, failover }: NumberingBounds,
): Model<State> {
  const docs = histories.flatMap((kinds, conversation) =>
    [...kinds].map((kind, at) => ({
      ...{ kind, conversation, history: kinds.slice(0, kind === 'E' ? at + 1 : at).split('E').length - 1 },
      name: `${'xy'[conversation]}${at + 1}`,
    })),
  )
  const steps = new Steps(
    docs.map((doc, index) => ({ ...doc, index })),
    rules,
  )
  return {
    first: {
      ...{ docs: docs.map(() => 'no'), events: [], mayTakeBack: failover, mayBeBehind: failover },
      nodes: [IDLE, IDLE],
    },
    stepsOf: (state) => [...steps.all(state)],
    keyOf: ({ nodes, docs: stored, events, mayTakeBack, mayBeBehind }) => {
      const keys = nodes.map(({ at, found, wanted, missing, last }) =>
        [at, found, wanted, missing, last].join('.'),
      )
      const numbers = events.map(({ number, doc }) => `${number}${doc}`)
      return [stored.map((each) => each[0]).join(''), numbers, mayTakeBack, mayBeBehind, ...keys.sort()].join(
        '|',
      )
    },
    violationOf: (state) => steps.violationOf(state),
    isDone: ({ docs: stored, nodes }) =>
      stored.every((each) => HAS_NUMBER.has(each)) && nodes.every(({ at }) => at === 'idle'),
  }
}

class Steps {
  readonly #docs: readonly Doc[]
  readonly #rules: NumberingRules

  constructor(docs: readonly Doc[], rules: NumberingRules) {
    this.#docs = docs
    this.#rules = rules
  }

  violationOf({ docs, events }: State): string | null {
    for (const [at, { number, doc }] of events.entries()) {
      const { name } = this.#docs[doc] as Doc
      if (number !== at + 1) return `event ${at + 1} has the number ${number}`
      if (docs[doc] === 'no') return `the event of ${name} reports what a failover has taken back`
      const before = events.slice(0, at)
      if (before.some((other) => other.doc === doc)) return `${name} has two events`
      const late = before.find((other) =>
        this.#isBefore(this.#docs[doc] as Doc, this.#docs[other.doc] as Doc),
      )
      if (late !== undefined) return `${this.#docs[late.doc]?.name} has its number before ${name}`
    }
    const lost = this.#docs.find(
      ({ index }) => HAS_NUMBER.has(docs[index] as Stored) && !events.some(({ doc }) => doc === index),
    )
    return lost === undefined ? null : `${lost.name} gets no number`
  }

  /** A message and an entry that was written before it, after the same messages, have no order. */
  #isBefore(one: Doc, other: Doc): boolean {
    if (one.conversation !== other.conversation || one.index >= other.index) return false
    return one.history !== other.history || one.kind !== 'e' || other.kind !== 'm'
  }

  *all(state: State): Iterable<Step<State>> {
    for (const { index, name } of this.#docs) {
      if (state.docs[index] === 'primary') yield [`the majority has ${name}`, withDoc(state, index, 'marked')]
      if (state.docs[index] === 'bare') yield [`${name} is marked`, withDoc(state, index, 'marked')]
    }
    const order =
      state.nodes[0].at === 'idle' && state.nodes[1].at !== 'idle' ? ([1, 0] as const) : ([0, 1] as const)
    for (const index of order) yield* this.#ofNode(state, index)
    yield* this.#writes(state)
    for (const index of [0, 1] as const)
      if (state.nodes[index].at !== 'idle') yield [`${nameOf(index)} dies`, withNode(state, index, IDLE)]
    for (const { index, name } of this.#docs) {
      if (state.docs[index] === 'primary' && state.mayTakeBack)
        yield [`a failover takes ${name} back`, { ...withDoc(state, index, 'no'), mayTakeBack: false }]
      if (state.docs[index] === 'bare') yield [`the writer of ${name} dies`, withDoc(state, index, 'done')]
    }
  }

  /** A conversation's next document is stored, once the majority has the one before. An erased history's are removed. */
  *#writes(state: State): Iterable<Step<State>> {
    const isStored = ({ index }: Doc) => !['no', 'primary', 'bare'].includes(state.docs[index] as string)
    for (const doc of this.#docs) {
      const { index, name, kind, conversation } = doc
      const before = this.#docs.filter((other) => other.conversation === conversation && other.index < index)
      if (state.docs[index] === 'no' && before.every(isStored)) {
        const what = kind === 'E' ? `an erase, ${name}, is stored` : `${name} is stored`
        yield [what, withDoc(state, index, this.#rules.marksWithWrite ? 'primary' : 'bare')]
      }
      const isRemovable = isStored(doc) && state.docs[index] !== 'removed' && kind !== 'E'
      const isErased = this.#docs.some(
        (other) =>
          other.kind === 'E' && other.conversation === conversation && other.index > index && isStored(other),
      )
      // `number` in `removeErased`
      const hasNumber = state.events.some((event) => event.doc === index) || !this.#rules.numbersBeforeRemoval
      if (isRemovable && isErased && hasNumber) yield [`${name} is removed`, withDoc(state, index, 'removed')]
    }
  }

  /** Returns the marked documents of a kind that a read shows: what is before one that it shows too. */
  *#reads(state: State, kind: string, follows: (doc: Doc) => boolean): Iterable<number[]> {
    const isMarked = ({ index }: Doc) =>
      state.docs[index] === 'marked' || (state.docs[index] === 'primary' && !this.#rules.readsMajority)
    const marked = this.#docs.filter((doc) => doc.kind === kind && isMarked(doc))
    for (let bits = 2 ** marked.length - 1; bits >= 0; bits -= 1) {
      const shown = marked.filter((_, at) => (bits & (1 << at)) !== 0)
      const isBefore = (doc: Doc) =>
        shown.some(
          (other) =>
            other.conversation === doc.conversation &&
            other.history === doc.history &&
            other.index > doc.index,
        )
      const found = marked.filter(
        (doc) => shown.includes(doc) || follows(doc) || (this.#rules.readsBefore && isBefore(doc)),
      )
      yield found.map(({ index }) => index)
    }
  }

  *#ofNode(state: State, index: 0 | 1): Iterable<Step<State>> {
    const node = state.nodes[index]
    const name = nameOf(index)
    const go = (what: string, to: Partial<Node>, also: Partial<State> = {}): Step<State> => [
      `${name} ${what}`,
      withNode({ ...state, ...also }, index, { ...node, ...to }),
    ]
    const named = (docs: readonly number[]) =>
      docs.map((doc) => this.#docs[doc]?.name).join(', ') || 'nothing'
    const docsOf = (found: readonly number[]) => found.map((doc) => this.#docs[doc] as Doc)
    const isErased = (doc: Doc) =>
      docsOf(node.found).some(({ kind, conversation }) => kind === 'E' && conversation === doc.conversation)
    switch (node.at) {
      case 'idle': {
        // `findErased`
        if (!state.docs.includes('marked') && (this.#rules.readsMajority || !state.docs.includes('primary')))
          return
        for (const found of this.#reads(state, 'E', () => false))
          yield go(`finds the erases ${named(found)}`, { at: 'entries', found })
        return
      }
      case 'entries':
        // `activity.find`, and `upTo` of entries
        for (const found of this.#reads(state, 'e', isErased))
          yield go(`finds the entries ${named(found)}`, { at: 'messages', found: [...node.found, ...found] })
        return
      case 'messages': {
        // `messages.find`, and `upTo` of messages
        const entries = docsOf(node.found).filter(({ kind }) => kind === 'e')
        const follows = (doc: Doc) =>
          this.#rules.readsMessagesOfEntries &&
          entries.some(
            (entry) =>
              entry.conversation === doc.conversation &&
              entry.history === doc.history &&
              entry.index > doc.index,
          )
        for (const found of this.#reads(state, 'm', (doc) => isErased(doc) || follows(doc)))
          yield go(`finds the messages ${named(found)}`, { at: 'erases', found: [...node.found, ...found] })
        return
      }
      case 'erases': {
        // `laterErases`
        const later = this.#docs.filter(
          ({ kind, index: of }) => kind === 'E' && state.docs[of] === 'marked' && !node.found.includes(of),
        )
        const waits = (doc: Doc) =>
          this.#rules.waitsForErase &&
          doc.kind !== 'E' &&
          later.some((erase) => erase.conversation === doc.conversation && erase.history === doc.history)
        const wanted = docsOf(node.found).filter((doc) => !waits(doc))
        if (wanted.length === 0) yield go('finds nothing to number', IDLE)
        for (const order of this.#orders(wanted))
          yield go(`wants numbers for ${named(order)}`, {
            at: this.#rules.unmarksLast ? 'gives' : 'unmarks',
            wanted: order,
            found: [],
          })
        return
      }
      case 'gives':
        // `events.find` in `give`
        for (const events of eventsShown(state)) {
          const missing = node.wanted.filter((doc) => !events.some((event) => event.doc === doc))
          const also = events === state.events ? {} : { mayBeBehind: false }
          if (missing.length > 0)
            yield go(`finds no events of ${named(missing)}`, { at: 'numbers', missing }, also)
          else yield go('finds all events', this.#rules.unmarksLast ? { at: 'unmarks' } : IDLE, also)
        }
        return
      case 'numbers':
        // `lastNumber`
        for (const events of eventsShown(state)) {
          const last = events.at(-1)?.number ?? 0
          yield go(
            `reads the newest number, ${last}`,
            { at: 'inserts', last },
            events === state.events ? {} : { mayBeBehind: false },
          )
        }
        return
      case 'inserts':
        yield this.#inserts(state, node, go)
        return
      case 'unmarks': {
        const [doc, ...wanted] = node.wanted as [number, ...number[]]
        const docs = state.docs.map((stored, at) => (at === doc && stored === 'marked' ? 'done' : stored))
        const next = this.#rules.unmarksLast ? IDLE : ({ at: 'gives' } as const)
        yield go(`unmarks ${named([doc])}`, wanted.length > 0 ? { wanted } : next, { docs })
      }
    }
  }

  /** `events.insertMany` in `give`, one document at a time. */
  #inserts(
    state: State,
    node: Node,
    go: (what: string, to: Partial<Node>, also?: Partial<State>) => Step<State>,
  ) {
    const [doc, ...missing] = node.missing as [number, ...number[]]
    const number = node.last + 1
    const { name } = this.#docs[doc] as Doc
    const isRefused = state.events.some(
      (event) =>
        (this.#rules.uniqueNumber && event.number === number) ||
        (this.#rules.uniqueSource && event.doc === doc),
    )
    const onward: Partial<Node> =
      missing.length > 0 ? { missing, last: number } : { at: 'gives', missing: [], last: 0 }
    if (!isRefused)
      return go(`inserts ${name} as ${number}`, onward, { events: [...state.events, { number, doc }] })
    return go(
      `is refused ${name} as ${number}`,
      this.#rules.stopsAtRefusal ? { at: 'gives', missing: [], last: 0 } : onward,
    )
  }

  /** Two conversations' events are in the order of their times, which may be any. */
  *#orders(docs: readonly Doc[]): Iterable<number[]> {
    const sorted = docs
      .map(({ index }) => index)
      .sort((a, b) => (this.#rules.ordersBySequence ? a - b : b - a))
    const ofX = sorted.filter((doc) => this.#docs[doc]?.conversation === 0)
    const ofY = sorted.filter((doc) => this.#docs[doc]?.conversation === 1)
    yield* merges(ofX, ofY)
  }
}

function* merges(one: readonly number[], other: readonly number[]): Iterable<number[]> {
  if (one.length === 0 || other.length === 0) return yield [...one, ...other]
  for (const rest of merges(one.slice(1), other)) yield [one[0] as number, ...rest]
  for (const rest of merges(one, other.slice(1))) yield [other[0] as number, ...rest]
}

/** A new primary's reads may lack the newest event, once. */
function eventsShown({ events, mayBeBehind }: State): State['events'][] {
  return mayBeBehind && events.length > 0 ? [events, events.slice(0, -1)] : [events]
}

function nameOf(index: 0 | 1): string {
  return index === 0 ? 'A' : 'B'
}

function withDoc(state: State, index: number, stored: Stored): State {
  return { ...state, docs: state.docs.map((before, at) => (at === index ? stored : before)) }
}

function withNode(state: State, index: 0 | 1, node: Node): State {
  return { ...state, nodes: index === 0 ? [node, state.nodes[1]] : [state.nodes[0], node] }
}
