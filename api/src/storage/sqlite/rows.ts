import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { comparisonsIn, numbersOf, type PlainTable, type Rows, type Where } from '../model/plain-table.ts'
import { columnOf, columnsOf, insertionOf, plainRow } from './columns.ts'
import { always, ifFound, ifPositive, ifTrue, type WriteQueue } from './write-queue.ts'

/** The result code SQLITE_CONSTRAINT_UNIQUE. */
const NOT_UNIQUE = 2_067

/** Each hook runs in a write's transaction, after the row is written. */
export interface RowHooks<Row> {
  inserted?: (row: Row) => void
  updated?: (where: Where<Row>, set: Partial<Row>) => void
}

/** Opens a plain table. A statement is prepared once for each shape of a query. */
export function openRows<Row extends object>(
  db: DatabaseSync,
  queue: WriteQueue,
  table: PlainTable<Row>,
  { inserted, updated }: RowHooks<Row> = {},
): Rows<Row> {
  const { name, fields } = table
  const columns = Object.keys(fields).join(', ')
  const insertion = `${insertionOf(name, Object.keys(fields))} ON CONFLICT DO NOTHING`
  const sums = numbersOf(table).map((field) => `${field} = ${field} + excluded.${field}`)
  const onConflict = `ON CONFLICT (${table.key}) DO UPDATE SET ${sums.join(', ')}`
  const addition = `${insertionOf(name, Object.keys(fields))} ${onConflict}`
  const statements = new Map<string, StatementSync>()

  function prepared(sql: string): StatementSync {
    const statement = statements.get(sql) ?? db.prepare(sql)
    statements.set(sql, statement)
    return statement
  }

  function updating(where: Where<Row>, set: Partial<Row>, returning = '') {
    const given = Object.entries(set).filter(([, value]) => value !== undefined)
    const changes = given.map(([field]) => `${field} = ?`).join(', ')
    const { sql, values } = condition(where)
    return {
      statement: prepared(`UPDATE ${name} SET ${changes}${sql}${returning}`),
      values: [...given.map(([, value]) => columnOf(value)), ...values],
    }
  }

  return {
    async find(where) {
      const { sql, values } = condition(where)
      const found = prepared(`SELECT ${columns} FROM ${name}${sql}`).get(...values)
      return found === undefined ? null : plainRow(table, found)
    },

    // SQLite takes a negative limit as no limit.
    async list(where, { order, limit = -1, offset = 0, only }) {
      const { sql, values } = condition(where)
      const by = Object.entries(order).map(([field, direction]) =>
        direction === 1 ? field : `${field} DESC`,
      )
      const query = `SELECT ${only?.join(', ') ?? columns} FROM ${name}${sql} ORDER BY ${by.join(', ')} LIMIT ? OFFSET ?`
      return prepared(query)
        .all(...values, limit, offset)
        .map((found) => plainRow(table, found))
    },

    async count(where = {}) {
      const { sql, values } = condition(where)
      const counting = prepared(`SELECT count(*) AS count FROM ${name}${sql}`)
      return (counting.get(...values) as { count: number }).count
    },

    insert: (row) =>
      queue.write(() => {
        const isNew = prepared(insertion).run(columnsOf(row)).changes === 1
        if (isNew) inserted?.(row)
        return isNew
      }, ifTrue),

    update: (where, set) =>
      queue.write(
        () => {
          const { statement, values } = updating(where, set)
          try {
            if (statement.run(...values).changes === 0) return 'missing'
            updated?.(where, set)
            return 'updated'
          } catch (error) {
            if ((error as { errcode?: unknown }).errcode === NOT_UNIQUE) return 'duplicate'
            throw error
          }
        },
        (outcome) => outcome === 'updated',
      ),

    change: (where, set) =>
      queue.write(() => {
        const { statement, values } = updating(where, set, ` RETURNING ${columns}`)
        const found = statement.get(...values)
        if (found === undefined) return null
        updated?.(where, set)
        return plainRow(table, found)
      }, ifFound),

    add: (row) =>
      queue.write(() => {
        prepared(addition).run(columnsOf(row))
      }, always),

    remove: (where) =>
      queue.write(() => {
        const { sql, values } = condition(where)
        return Number(prepared(`DELETE FROM ${name}${sql}`).run(...values).changes)
      }, ifPositive),
  }
}

function condition<Row>(where: Where<Row>): { sql: string; values: SQLInputValue[] } {
  const terms: string[] = []
  const values: SQLInputValue[] = []
  for (const [field, comparison, value] of comparisonsIn(where)) {
    const [column, within] = field.split('.')
    const term = within === undefined ? column : `${column} ->> '${within}'`
    terms.push(value === null ? `${term} IS NULL` : `${term} ${comparison} ?`)
    if (value !== null) values.push(columnOf(value))
  }
  return { sql: terms.length === 0 ? '' : ` WHERE ${terms.join(' AND ')}`, values }
}
