import type { Site, SiteTest } from '@proctorpass/shared/schemas/site'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const OWN = 'https://chat.example'
const OWN_HEADERS = { origin: OWN, 'sec-fetch-site': 'same-origin' }
const SHOWN = { origin: 'https://shop.example', storage: true }

let test: TestApp
let bearer: { authorization: string }
let site: Site
let time = Date.now()

beforeAll(async () => {
  test = await buildTestApp({ variables: { PUBLIC_URL: OWN }, now: () => time })
  bearer = (await test.signIn()).bearer
  const payload = { name: 'Shop', origins: ['https://shop.example'] }
  site = (await test.call('POST', '/api/sites', { headers: bearer, payload })).json().data
})
afterAll(() => test.close())

async function begun(): Promise<string> {
  const answer = await test.call('POST', `/api/sites/${site._id}/test`, { headers: bearer })
  expect([answer.statusCode, answer.json()]).toEqual([201, { token: expect.stringMatching(/^[\w-]{43}$/) }])
  return answer.json().token
}
const report = async (token: string, more: object = SHOWN, id = site._id) =>
  (await test.call('POST', `/embed/${id}/test`, { headers: OWN_HEADERS, payload: { token, ...more } }))
    .statusCode
const known = async (token: string) =>
  (await test.call('GET', `/api/sites/${site._id}/test/${token}`, { headers: bearer })).json() as SiteTest

it('a test knows what the frame says, once for each token', async () => {
  const token = await begun()
  expect(await known(token)).toEqual({ shown: null, refusedOrigin: null, identityRefused: false })
  expect(await report(token, SHOWN, 'Other'.padEnd(20, '0'))).toBe(404)
  expect(await report(token)).toBe(204)
  expect(await report(token, { ...SHOWN, storage: false })).toBe(404)
  expect((await known(token)).shown).toEqual(SHOWN)
  expect(await report('x'.repeat(43))).toBe(404)
  expect(await report(token, { ...SHOWN, origin: 'javascript:alert(1)' })).toBe(400)
})

it('a test knows a refused identity, and a page that may not show the frame', async () => {
  const token = await begun()
  const nothing = { shown: null, refusedOrigin: null, identityRefused: false }
  const identify = (more: object) =>
    test.call('POST', `/embed/${site._id}/identify`, {
      headers: OWN_HEADERS,
      payload: { token: 'wrong', ...more },
    })
  const other = 'x'.repeat(43)
  await identify({})
  await identify({ test: other })
  const { framingRefused } = test.app.useCases.siteTests
  await framingRefused(site._id, other, 'https://evil.example')
  await framingRefused(site._id, token, `https://${'a.'.repeat(160)}example`)
  await identify({ test: token })
  await expect.poll(() => known(token)).toEqual({ ...nothing, identityRefused: true })
  await framingRefused(site._id, token, 'https://staging.example')
  expect((await known(token)).refusedOrigin).toBe('https://staging.example')
})

it('a test is for admins, of one site, and over after ten minutes', async () => {
  const token = await begun()
  const path = `/api/sites/${site._id}/test`
  expect((await test.call('POST', path)).statusCode).toBe(401)
  expect((await test.call('GET', `${path}/${token}`)).statusCode).toBe(401)
  expect((await test.call('POST', '/api/sites/nothing/test', { headers: bearer })).statusCode).toBe(404)
  time += 11 * 60 * 1_000
  const { bearer: later } = await test.signIn()
  expect((await test.call('GET', `${path}/${token}`, { headers: later })).statusCode).toBe(404)
  expect(await report(token)).toBe(404)
})
