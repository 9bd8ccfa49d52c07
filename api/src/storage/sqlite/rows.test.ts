import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { describeRows } from '../../../test/rows-contract.ts'
import { PLAIN_TABLES, plainTable } from '../model/plain-tables.ts'
import { DatabaseHealth } from './database-health.ts'
import { openRows } from './rows.ts'
import { migrate } from './schema.ts'
import { WriteQueue } from './write-queue.ts'

function newDatabase(): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  return db
}

describeRows('SQLite', async (table) => {
  const db = newDatabase()
  return openRows(db, new WriteQueue(db, new DatabaseHealth(':memory:'), () => {}), table)
})

describe.each(Object.keys(PLAIN_TABLES))('the migrations give %s', (name) => {
  const db = newDatabase()
  const table = plainTable(name)
  const pragma = (about: string, of: string) => db.prepare(`SELECT * FROM pragma_${about}(?)`).all(of)

  it('the columns that are described', () => {
    const columns = pragma('table_info', name).map((column) => column.name)
    expect(columns.sort()).toEqual(Object.keys(table?.fields ?? {}).sort())
    const keys = pragma('table_info', name).filter(({ pk }) => pk === 1)
    expect(keys).toMatchObject([{ name: table?.sqliteKey ?? table?.key }])
  })

  it('the indexes that are described', () => {
    const indexes = pragma('index_list', name).filter(({ origin }) => origin !== 'pk')
    const found = indexes.map((index) => {
      const [first] = pragma('index_info', index.name as string)
      return index.unique === 1 ? `unique ${first?.name}` : index.name
    })
    const described = Object.entries(table?.indexes ?? {}).flatMap(([index, { by, unique }]) => {
      if (!unique) return [`${name}_${index}`]
      const [field] = Object.keys(by)
      return field === table?.sqliteKey ? [] : [`unique ${field}`]
    })
    expect(found.sort()).toEqual(described.sort())
  })
})
