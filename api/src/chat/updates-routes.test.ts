import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { SeenMark, Update } from '@proctorpass/shared/schemas/updates'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

const DAY = 86_400_000
type Headers = Record<string, string>
let test: TestApp
let sam: { user_Id: string; bearer: Headers }
let maria: { userId: string; bearer: Headers }
/** Added to the clock of the server. */
let later = 0
beforeAll(async () => {
  test = await buildTestApp({ now: () => Date.now() + later, variables: { RATE_LIMITS: 'off' } })
  sam = await test.signIn()
  const { invite } = (await call(sam.bearer, 'POST', '/team', { userName: 'maria' })).json()
  const payload = { token: new URL(invite).hash.slice(1), password: 'marble-teapot-horizon' }
  const invited = (await test.call('POST', '/api/invite', { payload })).json()
  maria = { userId: invited.user_Id, bearer: { authorization: `Bearer ${invited.accessToken}` } }
})
beforeEach(async () => {
  later = 0
  sam = await test.signIn()
})
afterAll(() => test.close())

const call = (headers: Headers, method: 'GET' | 'PATCH' | 'POST', url: string, payload?: object) =>
  test.call(method, `/api${url}`, { headers, ...(payload && { payload }) })
const updatesOf = async (headers: Headers): Promise<Update[]> =>
  (await call(headers, 'GET', '/chat/updates')).json().updates
const see = (headers: Headers, ...marks: SeenMark[]) => call(headers, 'POST', '/chat/updates/seen', { marks })
const markOf = ({ clientId, epoch, seq, n }: SeenMark): SeenMark => ({ clientId, epoch, seq, n })
const summaryFor = async (headers: Headers, clientId: string) => {
  const listed: ConversationSummary[] = (await call(headers, 'GET', '/chat')).json()
  return listed.find((each) => each.clientId === clientId)
}
async function write(clientId: string, message: string) {
  return (await test.call('POST', '/api/chat', { payload: { clientId, message } })).json().data as {
    epoch: string
    seq: number
  }
}
async function started(message = 'Hello') {
  const clientId = newClientId()
  return { clientId, ...(await write(clientId, message)) }
}
async function mention(userName: string, clientId: string, text: string) {
  const body = { nonce: newClientId(), text: `@${userName} ${text}` }
  return (await call(maria.bearer, 'POST', `/chat/admin/${clientId}/notes`, body)).json().data as {
    n: number
  }
}

describe('GET /chat/updates', () => {
  it('lists mentions, assignments and waiting visitors of the own conversations, newest first', async () => {
    const { clientId, epoch } = await started()
    await call(sam.bearer, 'PATCH', `/chat/admin/${clientId}`, { assigneeId: sam.user_Id })
    const { n } = await mention('admin', clientId, `please help ${'x'.repeat(300)}`)
    await call(maria.bearer, 'PATCH', `/chat/admin/${clientId}`, { assigneeId: maria.userId })
    await call(maria.bearer, 'PATCH', `/chat/admin/${clientId}`, { assigneeId: sam.user_Id })
    later = 1_000
    await write(clientId, 'Are you there?')
    const found = (await updatesOf(sam.bearer)).filter((update) => update.clientId === clientId)
    const shared = { clientId, epoch, name: null, isSeen: false }
    expect(found).toMatchObject([
      { ...shared, kind: 'reply', seq: 2, n: 0, by: null, text: 'Are you there?' },
      { ...shared, kind: 'assignment', seq: 0, n: n + 2, by: maria.userId, text: '' },
      { ...shared, kind: 'mention', seq: 0, n, by: maria.userId },
    ])
    expect(found[2]?.text).toMatch(/^@admin please help x+…$/)
    expect(found[2]?.text).toHaveLength(201)
    expect(await updatesOf(maria.bearer)).toEqual([])
  })

  it('tells a note that assigns once, as a mention', async () => {
    const { clientId } = await started()
    const body = { nonce: newClientId(), text: 'Yours', assigneeId: sam.user_Id }
    expect((await call(maria.bearer, 'POST', `/chat/admin/${clientId}/notes`, body)).statusCode).toBe(201)
    await mention('admin', clientId, 'did you see it?')
    const found = (await updatesOf(sam.bearer)).filter((update) => update.clientId === clientId)
    expect(found.map(({ kind, n, assigned }) => ({ kind, n, assigned }))).toEqual([
      { kind: 'mention', n: 3, assigned: undefined },
      { kind: 'mention', n: 1, assigned: true },
      { kind: 'reply', n: 0, assigned: undefined },
    ])
  })

  it('leaves out visitors who have their answer, and updates older than 30 days', async () => {
    const { clientId } = await started()
    await call(maria.bearer, 'PATCH', `/chat/admin/${clientId}`, { assigneeId: sam.user_Id })
    const kinds = async () =>
      (await updatesOf(sam.bearer)).filter((update) => update.clientId === clientId).map(({ kind }) => kind)
    expect((await kinds()).sort()).toEqual(['assignment', 'reply'])
    await call(sam.bearer, 'POST', '/chat', { clientId, message: 'Hello!' })
    expect(await kinds()).toEqual(['assignment'])
    later = 30 * DAY + 60_000
    sam = await test.signIn()
    expect(await kinds()).toEqual([])
  })
})

describe('POST /chat/updates/seen', () => {
  it('marks for one admin only, also what another admin has read', async () => {
    const { clientId, epoch } = await started()
    await mention('admin', clientId, 'look')
    await call(maria.bearer, 'GET', `/chat/admin/${clientId}`)
    expect((await see(maria.bearer, { clientId, epoch, seq: 1, n: 1 })).statusCode).toBe(204)
    expect(await summaryFor(maria.bearer, clientId)).toMatchObject({ adminUnread: 0, seen: 1 })
    expect(await summaryFor(sam.bearer, clientId)).toMatchObject({ adminUnread: 0, seen: 0 })
    const mine = async () => (await updatesOf(sam.bearer)).find((update) => update.clientId === clientId)
    expect(await mine()).toMatchObject({ isSeen: false })
    await see(sam.bearer, markOf((await mine()) as Update))
    expect(await mine()).toMatchObject({ isSeen: true })
    const summary = await call(sam.bearer, 'GET', `/chat/admin/${clientId}/summary`)
    expect(summary.json()).toMatchObject({ seen: 0 })
  })

  it('bounds a mark by the conversation, and leaves out unknown and erased ones', async () => {
    const { clientId, epoch } = await started()
    const unknown = { clientId: newClientId(), epoch, seq: 1, n: 0 }
    const other = { clientId, epoch: 'other', seq: 1, n: 0 }
    expect((await see(sam.bearer, unknown, other)).statusCode).toBe(204)
    expect(await summaryFor(sam.bearer, clientId)).toMatchObject({ seen: 0 })
    await see(sam.bearer, { clientId, epoch, seq: 99, n: 99 })
    expect(await summaryFor(sam.bearer, clientId)).toMatchObject({ seen: 1 })
    await mention('admin', clientId, 'after that')
    const found = (await updatesOf(sam.bearer)).filter((update) => update.clientId === clientId)
    expect(found).toMatchObject([{ text: '@admin after that', isSeen: false }])
  })

  it('refuses malformed marks, and other callers', async () => {
    const { clientId, epoch } = await started()
    for (const marks of [
      [],
      [{ clientId, epoch, seq: -1, n: 0 }],
      [{ clientId: 'x', epoch, seq: 1, n: 0 }],
    ]) {
      expect((await call(sam.bearer, 'POST', '/chat/updates/seen', { marks })).statusCode).toBe(400)
    }
    const tooMany = Array.from({ length: 51 }, () => ({ clientId, epoch, seq: 1, n: 0 }))
    expect((await see(sam.bearer, ...tooMany)).statusCode).toBe(400)
    expect((await test.call('GET', '/api/chat/updates')).statusCode).toBe(401)
    expect((await see({}, { clientId, epoch, seq: 1, n: 0 })).statusCode).toBe(401)
  })

  it('lists a bounded number', async () => {
    // Newer than the updates of the other tests.
    later = 60_000
    const { clientId } = await started()
    for (let index = 0; index < 55; index += 1) await mention('admin', clientId, `${index}`)
    const found = await updatesOf(sam.bearer)
    expect(found).toHaveLength(50)
    expect(found[0]?.text).toBe('@admin 54')
  })
})

describe('POST /chat/admin/:clientId/unseen', () => {
  const unsee = (headers: Headers, clientId: string) =>
    call(headers, 'POST', `/chat/admin/${clientId}/unseen`)

  it('moves the own mark back behind the newest message of the visitor, and nothing else', async () => {
    const { clientId, epoch } = await started()
    await write(clientId, 'Are you there?')
    await call(sam.bearer, 'POST', '/chat', { clientId, message: 'Yes' })
    await call(sam.bearer, 'PATCH', `/chat/admin/${clientId}`, { assigneeId: sam.user_Id })
    for (const { bearer } of [sam, maria]) await see(bearer, { clientId, epoch, seq: 3, n: 1 })
    await call(sam.bearer, 'POST', `/chat/admin/${clientId}/read`, { seq: 3 })
    const before = await summaryFor(maria.bearer, clientId)
    const answer = await unsee(sam.bearer, clientId)
    expect([answer.statusCode, answer.json()]).toEqual([200, { seen: 1 }])
    expect(await summaryFor(sam.bearer, clientId)).toEqual({ ...before, seen: 1 })
    expect(await summaryFor(maria.bearer, clientId)).toEqual(before)
    // It has not been seen since.
    expect((await unsee(sam.bearer, clientId)).json()).toEqual({ seen: 1 })
    await see(sam.bearer, { clientId, epoch, seq: 3, n: 0 })
    expect(await summaryFor(sam.bearer, clientId)).toEqual(before)
  })

  it('shows an update as new again', async () => {
    // After the updates of the other tests.
    later = 120_000
    const { clientId, epoch } = await started()
    await call(sam.bearer, 'PATCH', `/chat/admin/${clientId}`, { assigneeId: sam.user_Id })
    const isSeen = async () =>
      (await updatesOf(sam.bearer)).find((update) => update.clientId === clientId)?.isSeen
    await see(sam.bearer, { clientId, epoch, seq: 1, n: 1 })
    expect(await isSeen()).toBe(true)
    expect((await unsee(sam.bearer, clientId)).json()).toEqual({ seen: 0 })
    expect(await isSeen()).toBe(false)
  })

  it('finds the message behind many answers, and is refused without one', async () => {
    const { clientId, epoch } = await started()
    for (let count = 0; count < 205; count += 1) {
      const message = { clientId, senderId: sam.user_Id, message: 'Yes', nonce: `nonce-${count}-xx` }
      await test.storage.messages.append({ ...message, at: Date.now() })
    }
    await see(sam.bearer, { clientId, epoch, seq: 206, n: 0 })
    expect((await unsee(sam.bearer, clientId)).json()).toEqual({ seen: 0 })
    expect((await unsee(sam.bearer, newClientId())).statusCode).toBe(404)
    const begun = newClientId()
    await call(sam.bearer, 'POST', '/chat', { clientId: begun, message: 'Hello' })
    expect((await unsee(sam.bearer, begun)).statusCode).toBe(404)
  })

  it('is for admins alone', async () => {
    const { clientId } = await started()
    expect((await unsee({}, clientId)).statusCode).toBe(401)
    const visitor = await unsee({ authorization: `Visitor ${'k'.repeat(43)}` }, clientId)
    expect(visitor.statusCode).toBeGreaterThanOrEqual(401)
    const key = { name: 'Bot', scopes: ['write'] }
    const { secret } = (await call(sam.bearer, 'POST', '/keys', key)).json()
    expect((await unsee({ authorization: `Bearer ${secret}` }, clientId)).statusCode).toBe(403)
  })
})
