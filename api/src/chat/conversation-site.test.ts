import type { ConversationSummary, Page } from '@proctorpass/shared/schemas/chat'
import type { Visitor } from '@proctorpass/shared/schemas/inbox'
import type { Site } from '@proctorpass/shared/schemas/site'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let bearer: { authorization: string }
let site: Site
const KEY = 'k'.repeat(43)
const visitor = { authorization: `Visitor ${KEY}` }
let count = 0
const newClientId = () => `Client${String(++count).padStart(14, '0')}`

beforeAll(async () => {
  test = await buildTestApp()
  bearer = (await test.signIn()).bearer
  const payload = { name: 'Shop', origins: ['https://shop.example', 'https://*.blog.example'] }
  site = (await test.call('POST', '/api/sites', { headers: bearer, payload })).json().data
})
afterAll(() => test.close())

async function write(more: object = {}): Promise<string> {
  const clientId = newClientId()
  const payload = { clientId, message: 'hello', ...more }
  expect((await test.call('POST', '/api/chat', { headers: visitor, payload })).statusCode).toBe(201)
  return clientId
}
const summaryOf = async (clientId: string) =>
  (
    await test.call('GET', `/api/chat/admin/${clientId}/summary`, { headers: bearer })
  ).json() as ConversationSummary

it('is that of the frame, and null when unknown, on own pages and for admins', async () => {
  expect((await summaryOf(await write({ site: site._id }))).site).toEqual({ _id: site._id, name: 'Shop' })
  expect((await summaryOf(await write({ site: 'Unknown'.padEnd(20, '0') }))).site).toBeNull()
  expect((await summaryOf(await write({ site: '{"$gt":""}' }))).site).toBeNull()
  expect((await summaryOf(await write())).site).toBeNull()
  const clientId = newClientId()
  const payload = { clientId, message: 'hello', site: site._id }
  await test.call('POST', '/api/chat', { headers: bearer, payload })
  expect((await summaryOf(clientId)).site).toBeNull()
})

it('filters the list together with the others, and is counted', async () => {
  const [ofSite, own] = [await write({ site: site._id }), await write()]
  const listed = async (query: string) => {
    const answer = await test.call('GET', `/api/chat?limit=500&${query}`, { headers: bearer })
    const list = answer.json()
    return Array.isArray(list) ? list.map((each: ConversationSummary) => each.clientId) : list
  }
  expect(await listed(`site=${site._id}&status=open`)).toContain(ofSite)
  expect(await listed(`site=${site._id}`)).not.toContain(own)
  expect(await listed('site=own&assignee=none')).toContain(own)
  expect(await listed('site=own')).not.toContain(ofSite)
  expect(await listed(`site=${'x'.repeat(20)}`)).toEqual({ message: 'No messages found!' })
  expect((await test.call('GET', '/api/chat?site=nothing', { headers: bearer })).statusCode).toBe(400)
  const { sites } = (await test.call('GET', '/api/chat/counts', { headers: bearer })).json()
  expect(sites[site._id]).toBe((await listed(`site=${site._id}&status=open`)).length)
})

it('stands in the panel, with the page behind an origin of the site', async () => {
  const clientId = await write({ site: site._id })
  const own = await write()
  const report = async (id: string, page: string) =>
    (await test.call('PATCH', `/api/chat/${id}/profile`, { headers: visitor, payload: { page } })).statusCode
  const known = async () =>
    (await test.call('GET', `/api/chat/admin/${clientId}/visitor`, { headers: bearer })).json() as Visitor
  expect(await report(clientId, 'https://shop.example/cart?card=4242#pay')).toBe(200)
  expect(await known()).toMatchObject({
    page: 'https://shop.example/cart',
    site: { name: 'Shop' },
    signed: null,
  })
  expect(await report(clientId, 'https://www.blog.example/a')).toBe(200)
  expect(await report(clientId, '/a')).toBe(200)
  for (const foreign of [
    'https://evil.example/a',
    'https://shop.example.evil.example/',
    'http://shop.example/a',
    'https://shop.example:8443/',
    'https://shop.example//evil.example',
    'https://a@shop.example/',
  ]) {
    expect([foreign, await report(clientId, foreign)]).toEqual([foreign, 400])
  }
  expect(await report(own, 'https://shop.example/cart')).toBe(400)
  expect((await known()).page).toBe('/a')
})

it('keeps its name when the site is deleted', async () => {
  const payload = { name: 'Gone', origins: ['https://gone.example'] }
  const gone: Site = (await test.call('POST', '/api/sites', { headers: bearer, payload })).json().data
  const clientId = await write({ site: gone._id })
  await test.call('DELETE', `/api/sites/${gone._id}`, { headers: bearer })
  expect((await summaryOf(clientId)).site).toEqual({ _id: gone._id, name: 'Gone' })
  // A frame that is still open.
  expect((await summaryOf(await write({ site: gone._id }))).site).toBeNull()
})

it('gives answers without an own name the name that its visitors know', async () => {
  const payload = { name: 'River', displayName: 'Riverside', origins: ['https://river.example'] }
  const river: Site = (await test.call('POST', '/api/sites', { headers: bearer, payload })).json().data
  const namesIn = async (clientId: string, headers = visitor) => {
    const answer = { clientId, message: 'an answer' }
    await test.call('POST', '/api/chat', { headers: bearer, payload: answer })
    const { people } = (await test.call('GET', `/api/chat/${clientId}`, { headers })).json() as Page
    return Object.values(people ?? {}).map(({ name }) => name)
  }
  const clientId = await write({ site: river._id })
  expect(await namesIn(clientId)).toEqual(['Riverside'])
  expect(await namesIn(clientId, bearer)).toEqual([test.env.brand])
  expect(await namesIn(await write({ site: site._id }))).toEqual([test.env.brand])
  const file = (await test.call('GET', `/api/chat/${clientId}/export`, { headers: visitor })).json()
  expect(file).toMatchObject({ site: 'Riverside', website: 'River' })
  expect(file.messages.at(-1)).toMatchObject({ from: 'Riverside' })
})

it('is erased with the history, and unknown to visitors', async () => {
  const clientId = await write({ site: site._id })
  const page = (await test.call('GET', `/api/chat/${clientId}`, { headers: visitor })).json() as Page
  expect(JSON.stringify(page)).not.toContain('Shop')
  const file = (await test.call('GET', `/api/chat/${clientId}/export`, { headers: visitor })).json()
  expect(file.website).toBe('Shop')
  await test.call('DELETE', `/api/chat/${clientId}`, { headers: visitor })
  const payload = { clientId, message: 'again' }
  await test.call('POST', '/api/chat', { headers: visitor, payload })
  expect((await summaryOf(clientId)).site).toBeNull()
})
