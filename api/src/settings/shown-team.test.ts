import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const FACE = `/uploads/${'a1'.repeat(20)}.webp`

let test: TestApp
let bearer: { authorization: string }
/** The first admin, who has no display name. */
let first: string
let online: string[]
beforeEach(async () => {
  online = []
  test = await buildTestApp()
  const signedIn = await test.signIn()
  bearer = signedIn.bearer
  first = signedIn.user_Id
  test.app.useCases.team.followPresence((userId) => online.includes(userId))
})
afterEach(() => test.close())

const team = async () => (await test.call('GET', '/api/config')).json().chat.team
const names = async () => (await team()).map(({ name }: { name: string }) => name)

async function show(showTeam: boolean) {
  const { version } = (await test.call('GET', '/api/settings', { headers: bearer })).json()
  const payload = { ...DEFAULT_SETTINGS, showTeam, version }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
}

async function add(userName: string, displayName: string | null, face: string | null = null) {
  const { userId } = await test.addSession(userName, ['Admin'])
  await test.storage.users.changeProfile(userId, { displayName, face, email: `${userName}@example.com` })
  return userId
}

it('is empty until the settings show it, and again when they do not', async () => {
  await add('zoe-admin', 'Zoë', FACE)
  expect(await team()).toEqual([])
  await show(true)
  expect(await team()).toEqual([{ name: 'Zoë', face: FACE }])
  await show(false)
  expect(await team()).toEqual([])
})

it('has three admins on duty with a display name, and nothing else about them', async () => {
  await show(true)
  expect(await team()).toEqual([])
  await add('nameless', null, FACE)
  const away = await add('secret-a', 'Away')
  const disabled = await add('secret-b', 'Disabled')
  await add('secret-c', 'www.example.com')
  for (const name of ['Ada', 'Grace', 'Lin', 'Zoë']) await add(`secret-${name}`, name)
  await test.storage.users.changeProfile(away, { onDuty: false })
  await test.storage.users.changeCredentials(disabled, { disabled: true })
  await test.storage.users.create({
    ...{ userName: 'invited', displayName: 'Invited', passwordHash: 'none', roles: ['Admin'] },
    ...{ createdAt: Date.now(), inviteHash: 'i'.repeat(43), inviteExpiresAt: Date.now() + 1e6 },
  })
  await test.addSession('reader', [])
  const shown = ['Ada', 'Grace', 'Lin'].map((name) => ({ name, face: null }))
  expect(await team()).toEqual(shown)
  const { body } = await test.call('GET', '/api/config')
  expect(body).not.toMatch(/secret|nameless|example\.com"|userId|[0-9a-f]{24}/)
})

it('has those who are online first, and follows who is', async () => {
  await show(true)
  await add('a', 'Ada')
  await add('b', 'Grace')
  const lin = await add('c', 'Lin')
  const zoe = await add('d', 'Zoë')
  expect(await names()).toEqual(['Ada', 'Grace', 'Lin'])
  online = [zoe, lin, first]
  await vi.waitFor(async () => expect(await names()).toEqual(['Lin', 'Zoë', 'Ada']), { timeout: 3_000 })
})

it("follows this node's changes at once", async () => {
  await show(true)
  expect(await names()).toEqual([])
  const change = (payload: object) => test.call('PATCH', '/api/account', { headers: bearer, payload })
  await change({ displayName: 'Ada' })
  expect(await names()).toEqual(['Ada'])
  await change({ onDuty: false })
  expect(await names()).toEqual([])
  await change({ onDuty: true, displayName: 'Ada L.' })
  expect(await names()).toEqual(['Ada L.'])
  await change({ displayName: null })
  expect(await names()).toEqual([])
})

it('is the last known one while the store is away or hangs', async () => {
  await show(true)
  await add('a', 'Ada')
  expect(await names()).toEqual(['Ada'])
  const list = vi.spyOn(test.storage.users, 'list').mockRejectedValue(new Error('away'))
  await vi.waitFor(
    async () => {
      expect(await names()).toEqual(['Ada'])
      expect(list).toHaveBeenCalled()
    },
    { timeout: 3_000 },
  )
  list.mockImplementation(() => new Promise<never>(() => {}))
  expect(await names()).toEqual(['Ada'])
  list.mockRestore()
})

it('decides whether conversations tell the pictures of those who wrote', async () => {
  const clientId = 'v'.repeat(CLIENT_ID_LENGTH)
  await test.storage.users.changeProfile(first, { displayName: 'Ada', face: FACE })
  const write = (senderId: string, headers = {}) =>
    test.call('POST', '/api/chat', { headers, payload: { clientId, senderId, message: 'Hello' } })
  await write(clientId)
  expect((await write(first, bearer)).statusCode).toBe(201)
  const people = async () => (await test.call('GET', `/api/chat/${clientId}`)).json().people
  expect(await people()).toEqual({ [first]: { name: 'Ada' } })
  await show(true)
  expect(await people()).toEqual({ [first]: { name: 'Ada', face: FACE } })
  await test.storage.users.changeProfile(first, { face: null })
  expect(await people()).toEqual({ [first]: { name: 'Ada', face: null } })
})
