import { afterEach } from 'vitest'
import { connect, describeOnEachMongo } from '../../../test/mongo-stores.ts'
import { describeRows } from '../../../test/rows-contract.ts'
import type { MongoConnection } from './connection.ts'
import { openRows } from './rows.ts'
import { prepareSchema } from './schema.ts'

describeOnEachMongo('on MongoDB', (freshUrl) => {
  let connection: MongoConnection
  afterEach(() => connection.close())

  describeRows('MongoDB', async (table) => {
    connection = await connect(freshUrl())
    await prepareSchema(connection.db)
    return openRows(connection.db, connection.majority, table)
  })
})
