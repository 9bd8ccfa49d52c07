import { afterEach } from 'vitest'
import { describeOnMongo } from '../../../test/mongo-server.ts'
import { describeRows } from '../../../test/rows-contract.ts'
import { connectMongo, type MongoConnection } from './connection.ts'
import { openRows } from './rows.ts'
import { prepareSchema } from './schema.ts'

describeOnMongo('on MongoDB', (freshUrl) => {
  let connection: MongoConnection
  afterEach(() => connection.close())

  describeRows('MongoDB', async (table) => {
    connection = await connectMongo(freshUrl())
    await prepareSchema(connection.db)
    return openRows(connection.db, connection.majority, table)
  })
})
