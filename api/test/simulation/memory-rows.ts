import { comparisonsIn, type PlainTable, type Rows, type Where } from '../../src/storage/model/plain-table.ts'
import type { Random } from '../faults/random.ts'
import type { Scheduler } from './scheduler.ts'

/** How often a call fails: before it is applied, after it, or so that it is applied once its caller has given it up. */
const FAULTS = { before: 0.004, after: 0.004, late: 0.004 }
const LATE = 'a late write'

export interface MemoryTable<Row> {
  /** The rows themselves, by key. */
  rows: Map<string, Row>
  /** As one actor sees them. */
  as(actor: string): Rows<Row>
}

/** The primary of a replica set. A new one can be behind: until its next write, reads show what the majority had before. */
export class Primary {
  isBehind = false
  readonly #listeners: (() => void)[] = []

  onKeep(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** What reads show while a new primary is behind. */
  keep(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** A plain table in memory: each call is one step of the scheduler, and is judged and applied in it, as a write of a store is. */
export function memoryTable<Row extends object>(
  { name, key }: PlainTable<Row>,
  scheduler: Scheduler,
  faults: Random | null,
  primary: Primary,
): MemoryTable<Row> {
  const rows = new Map<string, Row>()
  let before = new Map<string, Row>()
  primary.onKeep(() => {
    before = new Map(rows)
  })
  const keyOf = (row: Row) => row[key] as string
  const matching = (where: Where<Row>, { fromPrimary = true as boolean } = {}) =>
    [...(fromPrimary || !primary.isBehind ? rows : before).values()].filter((row) => matches(row, where))

  function set(row: Row, change: Partial<Row>): Row {
    const given = Object.entries(change).filter(([, value]) => value !== undefined)
    const changed = { ...row, ...Object.fromEntries(given) }
    rows.set(keyOf(row), changed)
    return { ...changed }
  }

  function as(actor: string): Rows<Row> {
    const read = <T>(what: string, values: object, apply: () => T) =>
      scheduler.call(
        actor,
        () => `${what} ${name} ${told(values)}`,
        () => {
          if (faults?.chance(FAULTS.before)) throw new Error('The store is away.')
          return apply()
        },
      )
    const write = <T>(what: string, values: object, apply: () => T) =>
      scheduler.call(
        actor,
        () => `${what} ${name} ${told(values)}`,
        () => {
          if (faults?.chance(FAULTS.before)) throw new Error('The store is away.')
          if (faults?.chance(FAULTS.late)) {
            void scheduler.call(LATE, () => `${what} ${name} ${told(values)}`, apply)
            throw new Error('The store did not answer in time.')
          }
          const result = apply()
          primary.isBehind = false
          if (faults?.chance(FAULTS.after)) throw new Error('The connection was cut.')
          return result
        },
      )
    return {
      find: (where, { fromPrimary = false as boolean } = {}) =>
        read('find', where, () => {
          const [found] = matching(where, { fromPrimary })
          return found === undefined ? null : { ...found }
        }),
      list: (where, { order, limit = Infinity, offset = 0, fromPrimary = false as boolean }) =>
        read('list', where, () =>
          matching(where, { fromPrimary })
            .sort((one, other) => compare(one, other, order))
            .slice(offset, offset + limit)
            .map((row) => ({ ...row })),
        ),
      count: (where = {}) => read('count', where, () => matching(where).length),
      insert: (row) =>
        write('insert', row, () => {
          if (rows.has(keyOf(row))) return false
          rows.set(keyOf(row), { ...row })
          return true
        }),
      update: (where, change) =>
        write('update', { ...where, to: change }, () => {
          const found = matching(where)
          for (const row of found) set(row, change)
          return found.length === 0 ? 'missing' : 'updated'
        }),
      change: (where, change) =>
        write('change', { ...where, to: change }, () => {
          const [found] = matching(where)
          return found === undefined ? null : set(found, change)
        }),
      add: async () => {
        throw new Error('No simulated table adds numbers.')
      },
      remove: (where) =>
        write('remove', where, () => {
          const found = matching(where)
          for (const row of found) rows.delete(keyOf(row))
          return found.length
        }),
    }
  }

  return { rows, as }
}

function matches<Row extends object>(row: Row, where: Where<Row>): boolean {
  return comparisonsIn(where).every(([field, comparison, wanted]) =>
    COMPARISONS[comparison](row[field as keyof Row] as number, wanted as number),
  )
}

const COMPARISONS = {
  '=': (value: number, wanted: number) => value === wanted,
  '<': (value: number, wanted: number) => value < wanted,
  '<=': (value: number, wanted: number) => value <= wanted,
  '>': (value: number, wanted: number) => value > wanted,
  '>=': (value: number, wanted: number) => value >= wanted,
}

function compare<Row>(one: Row, other: Row, order: Readonly<Partial<Record<keyof Row, 1 | -1>>>): number {
  for (const [field, direction] of Object.entries(order) as [keyof Row, 1 | -1][]) {
    if (one[field] !== other[field]) return one[field] < other[field] ? -direction : direction
  }
  return 0
}

/** The simple values of a condition or a row, for the trace. */
function told(values: object): string {
  return Object.entries(values)
    .map(([field, value]) => `${field} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')
}
