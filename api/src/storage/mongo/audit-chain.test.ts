import { afterEach, beforeEach, expect, it } from 'vitest'
import { connect, describeOnEachMongo } from '../../../test/mongo-stores.ts'
import { AUDIT, withEntry } from '../model/audit.ts'
import { CONTACTS } from '../model/contacts.ts'
import { openAuditChain } from './audit-chain.ts'
import { collectionsOf } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { openRows } from './rows.ts'
import { prepareSchema } from './schema.ts'

const ID = 'a'.repeat(24)
const contact = { _id: ID, email: 'a@example.com', title: 'A', message: 'B', createdAt: 1, doneAt: null }
const entry = { by: ID, action: 'contact.deleted', target: ID, details: {}, address: null, at: 5 } as const

describeOnEachMongo('the audit log of a process that died', (url) => {
  let connection: MongoConnection
  beforeEach(async () => {
    connection = await connect(url())
    await prepareSchema(connection.db)
  })
  afterEach(() => connection.close())

  function open() {
    const { db, majority } = connection
    const rows = openRows(db, majority, AUDIT)
    const chain = openAuditChain(db, rows)
    const contacts = openRows(db, majority, CONTACTS, chain.writes)
    const actions = async () => (await rows.list({}, { order: { _id: 1 } })).map(({ target }) => target)
    return { rows, chain, contacts, actions, pending: collectionsOf(db).auditPending }
  }

  /** The process dies once the document is written: nothing after that reaches the store. */
  async function dieAfterWrite(change: (contacts: ReturnType<typeof open>['contacts']) => Promise<unknown>) {
    const { db, majority } = connection
    const rows = openRows(db, majority, AUDIT)
    const dying = { ...rows, insert: () => Promise.reject(new Error('died')) }
    const contacts = openRows(db, majority, CONTACTS, openAuditChain(db, dying).writes)
    await withEntry(entry, () => change(contacts))
  }

  it('gets the entry of an inserted, changed or removed row, once', async () => {
    const { chain, actions, pending } = open()
    await dieAfterWrite((contacts) => contacts.insert(contact))
    await dieAfterWrite((contacts) => contacts.update({ _id: ID }, { doneAt: 7 }))
    expect([await pending.countDocuments({}), await actions()]).toEqual([2, []])
    await Promise.all([chain.recover(0), open().chain.recover(0)])
    expect([await pending.countDocuments({}), await actions()]).toEqual([0, [ID, ID]])
    await dieAfterWrite((contacts) => contacts.remove({ _id: ID }))
    await chain.recover(0)
    expect([await pending.countDocuments({}), await actions()]).toEqual([0, [ID, ID, ID]])
  })

  it('gets no entry of a change that was not stored, and repeats a removal', async () => {
    const { chain, contacts, actions, pending } = open()
    await contacts.insert(contact)
    const note = { collection: 'contacts', filter: JSON.stringify({ _id: ID }), entry, at: 1 }
    await pending.insertOne({ ...note, _id: '1'.repeat(24), isRemoval: false })
    await chain.recover()
    expect([await pending.countDocuments({}), await actions()]).toEqual([0, []])
    await pending.insertOne({ ...note, _id: '2'.repeat(24), isRemoval: true })
    await chain.recover()
    expect([await contacts.find({ _id: ID }), await actions()]).toEqual([null, [ID]])
  })

  it('leaves the change of a living process alone', async () => {
    const { chain, pending } = open()
    const note = { collection: 'contacts', filter: '{}', entry, at: Date.now() }
    await pending.insertOne({ ...note, _id: '1'.repeat(24), isRemoval: false })
    await chain.recover()
    expect(await pending.countDocuments({})).toBe(1)
  })
})
