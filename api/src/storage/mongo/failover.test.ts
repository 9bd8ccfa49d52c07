import { beforeEach, describe, expect, it } from 'vitest'
import { MemoryMongo } from '../../../test/simulation/memory-mongo.ts'
import type { Step } from '../../../test/simulation/memory-mongo-calls.ts'
import { openRetries, RETRIES } from '../model/endpoints.ts'
import { EVENTS, openEvents } from '../model/events.ts'
import type { Storage } from '../model/storage.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { openConversations } from './conversations.ts'
import { openRows } from './rows.ts'
import { prepareSchema } from './schema.ts'

const VISITOR = 'Visitor0000000000001'
const ADMIN = 'a'.repeat(24)
const T0 = Date.UTC(2026, 0, 1)
const MAJORITY = { readConcern: { level: 'majority' } } as const

type Node = ReturnType<typeof openConversations>

/** A process that stops before a step. Unless it goes on, it has died there. */
interface Stop {
  actor: string
  /** How the step begins. */
  at: readonly string[]
  reached: PromiseWithResolvers<void>
  goesOn: PromiseWithResolvers<void>
}

let server: MemoryMongo
let stops: Stop[]
let steps: string[]
let here: Node
let there: Node

const step: Step = async (actor, what, apply) => {
  steps.push(what())
  const stop = stops.find((each) => each.actor === actor && each.at.some((at) => what().startsWith(at)))
  if (stop !== undefined) {
    stops.splice(stops.indexOf(stop), 1)
    stop.reached.resolve()
    await stop.goesOn.promise
  }
  return apply()
}

function stopBefore(actor: string, ...at: string[]): Stop {
  const stop = { actor, at, reached: Promise.withResolvers<void>(), goesOn: Promise.withResolvers<void>() }
  stops.push(stop)
  return stop
}

let count = 0
const say = (
  { messages }: Node,
  message: string,
  options: Partial<Parameters<Storage['messages']['append']>[0]> = {},
) =>
  messages.append({
    ...{ clientId: VISITOR, senderId: VISITOR, message, at: T0 + ++count },
    ...{ nonce: `nonce-${count}-xxxx`, ...options },
  })
const note = ({ inbox }: Node, text: string) =>
  inbox.addNote({ clientId: VISITOR, nonce: `note-${text}-xxxx`, by: ADMIN, text, mentions: [], at: T0 })
const change = ({ inbox }: Node, what: Parameters<Node['inbox']['change']>[1]) =>
  inbox.change(VISITOR, what, { by: ADMIN, at: T0 + ++count })
const conversation = () => server.documents('conversations').find(({ _id }) => _id === VISITOR)
const words = async () => {
  const page = await there.messages.page(VISITOR, { limit: 100 })
  return page?.messages.map(({ seq, message }) => [seq, message])
}

/** A process dies when the primary has its write, and the majority does not. */
async function leaveUncommitted(write: string, begin: () => Promise<unknown>): Promise<void> {
  const death = stopBefore('here', `commit ${write}`)
  void begin()
  await death.reached.promise
}

/** Another node becomes the primary before the other process's first step that begins like this. */
async function failOverBefore<T>(at: string[], begin: () => Promise<T>): Promise<T> {
  const stop = stopBefore('there', ...at)
  const result = begin()
  await Promise.race([stop.reached.promise, result])
  server.failOver()
  stop.goesOn.resolve()
  return result
}

/** A process whose new primary does not know yet what the majority has: its first such read shows less. */
function behind(name: 'messages' | 'conversations', less: object): Node {
  const collections = collectionsOf(server.db('there'))
  let isFirst = true
  const collection = new Proxy<Collections[typeof name]>(collections[name], {
    get(target, key) {
      const found = Reflect.get(target, key)
      if (key !== 'findOne') return typeof found === 'function' ? found.bind(target) : found
      return (filter: object, options: { readConcern?: object } = {}) => {
        const isBehind = isFirst && options.readConcern !== undefined
        if (isBehind) isFirst = false
        return found.call(target, isBehind ? { ...filter, ...less } : filter, options)
      }
    },
  })
  return openConversations({ ...collections, [name]: collection }, MAJORITY)
}

beforeEach(async () => {
  stops = []
  steps = []
  server = new MemoryMongo({ step, commitsApart: true })
  const open = (actor: string) => openConversations(collectionsOf(server.db(actor)), MAJORITY)
  await prepareSchema(server.db('here'))
  here = open('here')
  there = open('there')
  await say(here, 'first')
})

describe('a failover', () => {
  it('that takes back a message leaves no gap before the next one', async () => {
    await leaveUncommitted('insert messages', () => say(here, 'taken back'))
    const said = await failOverBefore(['insert messages'], () => say(there, 'second'))
    expect(said).toMatchObject({ outcome: 'stored', message: { seq: 2 } })
    expect(await words()).toEqual([
      [1, 'first'],
      [2, 'second'],
    ])
    expect(conversation()).toMatchObject({ seq: 2, visitorCount: 2, adminUnread: 2 })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a read mark', () => there.conversations.markRead(VISITOR, 'admin', 2)],
    ['a change', () => change(there, { assigneeId: ADMIN })],
    ['the sweep', () => there.sweep()],
  ])('that takes back a message leaves no trace of it when %s has read the newest', async (_, run) => {
    await leaveUncommitted('insert messages', () => say(here, 'taken back'))
    await failOverBefore(['update conversations'], run)
    expect(conversation()).toMatchObject({ seq: 1, lastMessage: { message: 'first' } })
    await say(there, 'second')
    expect(conversation()).toMatchObject({ seq: 2, visitorCount: 2, lastMessage: { message: 'second' } })
  })

  it('that takes back a note leaves its number to the next one', async () => {
    await leaveUncommitted('update conversations', () => note(here, 'one'))
    const again = await failOverBefore(['insert activity', 'update conversations'], () => note(there, 'one'))
    expect(again).toMatchObject({ outcome: 'stored' })
    await note(there, 'two')
    const log = await there.inbox.activity(VISITOR, { limit: 100 })
    expect(log?.activity.map(({ n, data }) => [n, (data as { text: string }).text])).toEqual([
      [1, 'one'],
      [2, 'two'],
    ])
  })

  it('that takes back a note moves none of it when its conversation is erased', async () => {
    await leaveUncommitted('update conversations', () => note(here, 'taken back'))
    steps = []
    const isErased = await failOverBefore(['find attachments'], () => there.conversations.erase(VISITOR))
    expect(isErased).toBe(true)
    expect(steps.filter((what) => what.startsWith('insert activity'))).toEqual([])
  })

  it('that takes back a correction leaves its number to the next one', async () => {
    await say(here, 'reply', { senderId: ADMIN })
    const correct = ({ inbox }: Node, message: string) =>
      inbox.edit({ clientId: VISITOR, seq: 2, nonce: `edit-${message}-xxxx`, by: ADMIN, message, at: T0 })
    await leaveUncommitted('update conversations', () => correct(here, 'taken back'))
    await failOverBefore(['update messages', 'update conversations'], () => correct(there, 'corrected'))
    expect(await words()).toEqual([
      [1, 'first'],
      [2, 'corrected'],
    ])
  })

  it('hides neither a retry nor an event behind it from webhooks', async () => {
    const of = (actor: string) => ({
      retries: openRetries(openRows(server.db(actor), MAJORITY, RETRIES)),
      rows: openRows(server.db(actor), MAJORITY, EVENTS),
    })
    const endpoint = 'e'.repeat(24)
    const retry = { endpoint, subject: VISITOR, event: 1, attempts: 1, dueAt: 1 }
    const event = { type: 'message.created', at: T0, clientId: VISITOR, n: 1 } as const
    await leaveUncommitted('insert retries', () => of('here').retries.put(retry))
    await leaveUncommitted('insert events', () =>
      of('here').rows.insert({ _id: 'message.created 1', number: 2, ...event }),
    )
    // A new primary may know as little of what the majority has.
    const { retries, rows } = of('there')
    expect(await retries.list(endpoint, { limit: 1 })).toEqual([])
    expect(await retries.find(endpoint, VISITOR)).toMatchObject({ event: 1 })
    const events = openEvents(rows, { begin: async () => {} })
    expect(await events.after(0, 1)).toEqual([])
    expect(await events.afterOf(VISITOR, 1, 1)).toMatchObject([{ number: 2 }])
    expect(await events.afterOf('message.created 1', 1, 1)).toMatchObject([{ number: 2 }])
  })

  describe('after which the new primary does not know yet what the majority has', () => {
    it('does not let an answered visitor wait', async () => {
      await say(here, 'reply', { senderId: ADMIN })
      await change(here, { status: 'resolved' })
      expect(await change(behind('messages', { seq: 1 }), { status: 'open' })).toMatchObject({
        outcome: 'stored',
      })
      expect(conversation()).toMatchObject({ seq: 2, status: 'open', waitingSince: null })
    })

    it('gives a number that is taken only once', async () => {
      await say(here, 'second')
      expect(await say(behind('messages', { seq: 1 }), 'third')).toMatchObject({ message: { seq: 3 } })
    })

    it('removes no message as if its history were erased', async () => {
      const said = await say(behind('conversations', { _id: 'unknown' }), 'reply', { senderId: ADMIN })
      expect(said).toMatchObject({ outcome: 'stored', message: { seq: 2 } })
      expect(conversation()).toMatchObject({ seq: 2, assigneeId: ADMIN })
      expect(steps.filter((what) => what.startsWith('delete'))).toEqual([])
    })
  })
})
