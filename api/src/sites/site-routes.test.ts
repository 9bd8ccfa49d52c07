import { SITES_MAX } from '@proctorpass/shared/limits'
import type { Site } from '@proctorpass/shared/schemas/site'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let bearer: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp()
  bearer = (await test.signIn()).bearer
})
afterAll(() => test.close())

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const send = (method: Method, path: string, payload?: unknown) =>
  test.call(method, `/api${path}`, {
    headers: bearer,
    ...(payload === undefined ? {} : { payload: payload as object }),
  })
const good = { name: ' Shop ', origins: ['https://shop.example'] }
const look = {
  ...{ color: '#AABBCC', side: 'left', offset: { x: 0, y: 200 } },
  label: { en: ' Chat ', zh: '聊天' },
}
const added = async (site: object = good) => (await send('POST', '/sites', site)).json().data as Site
const listed = async () => (await send('GET', '/sites')).json() as { sites: Site[]; count: number }

beforeEach(async () => {
  for (const { _id } of (await listed()).sites) await send('DELETE', `/sites/${_id}`)
})

describe('POST /sites', () => {
  it('answers once the site is stored, with its defaults', async () => {
    const answer = await send('POST', '/sites', good)
    expect([answer.statusCode, answer.json()]).toEqual([
      201,
      {
        message: 'Website saved',
        data: {
          ...{ _id: expect.stringMatching(/^[A-Za-z0-9]{20}$/), name: 'Shop', origins: good.origins },
          ...{ displayName: '', greeting: { en: '', zh: '' } },
          ...{ enabled: true, secrets: [], version: 1, look: expect.objectContaining({ side: 'right' }) },
        },
      },
    ])
    expect(await listed()).toEqual({ sites: [answer.json().data], count: 1 })
  })

  it('cleans the look', async () => {
    expect((await added({ ...good, enabled: false, look })).look).toEqual({
      ...look,
      color: '#aabbcc',
      label: { en: 'Chat', zh: '聊天' },
    })
  })

  it('keeps words in every known language, switched on or not', async () => {
    const greeting = { en: 'Hi', zh: '', de: ' Hallo ', fr: ' ', xx: 'no', 'pt-br': 'no' }
    const label = { en: '', zh: '', 'pt-BR': ' Fale conosco ', de: '\u200b', '../x': 'no' }
    const site = await added({ ...good, greeting, look: { ...look, label } })
    expect(site.greeting).toEqual({ en: 'Hi', zh: '', de: 'Hallo' })
    expect(site.look.label).toEqual({ en: '', zh: '', 'pt-BR': 'Fale conosco' })
    expect((await listed()).sites).toEqual([site])
  })

  it('takes the longest greeting in all languages', async () => {
    const tags = (await send('GET', '/languages')).json().languages.map(({ tag }: { tag: string }) => tag)
    expect(tags.length).toBeGreaterThan(20)
    const greeting = Object.fromEntries(tags.map((tag: string) => [tag, '😀'.repeat(1_000)]))
    expect((await added({ ...good, greeting })).greeting).toEqual(greeting)
  })

  it('cleans what its visitors read', async () => {
    const words = { displayName: ' Riverside ', greeting: { en: ' Hi!\r\nAsk us. ', zh: '\u200b' } }
    const stored = { displayName: 'Riverside', greeting: { en: 'Hi!\nAsk us.', zh: '' } }
    const site = await added({ ...good, ...words })
    expect(site).toMatchObject(stored)
    expect(await test.app.useCases.sites.find(site._id)).toMatchObject(stored)
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ displayName: 'x'.repeat(61) }, 'displayName'],
    [{ displayName: 'a\nb' }, 'displayName'],
    [{ displayName: 7 }, 'displayName'],
    [{ greeting: { en: 'x'.repeat(1_001), zh: '' } }, 'greeting/en'],
    [{ greeting: { en: '', zh: '\u202eabc' } }, 'greeting/zh'],
    [{ greeting: { en: '', zh: '', de: 'x'.repeat(1_001) } }, 'greeting/de'],
    [{ greeting: 'Hi' }, 'greeting'],
    [{ origins: [] }, 'origins'],
    [{ origins: Array.from({ length: 21 }, (_, index) => `https://a${index}.example`) }, 'origins'],
    [{ origins: ['https://a.example', 'http://a.example'] }, 'origins/1'],
    [{ origins: ['https://a.example', 'https://a.example'] }, 'origins/1'],
    [{ look: { ...look, color: 'red;}' } }, 'look/color'],
    [{ look: { ...look, offset: { x: 201, y: 0 } } }, 'look/offset/x'],
    [{ look: { ...look, label: { en: 'x'.repeat(25), zh: '' } } }, 'look/label/en'],
    [{ look: { ...look, label: { en: '', zh: '', 'pt-BR': 'a\nb' } } }, 'look/label/pt-BR'],
    [{ look: { ...look, side: 'top' } }, 'look/side'],
    [{ name: 7 }, 'name'],
  ])('refuses %j', async (wrong, field) => {
    const answer = await send('POST', '/sites', { ...good, ...wrong })
    expect([answer.statusCode, answer.json().details]).toEqual([400, [expect.objectContaining({ field })]])
    expect((await listed()).count).toBe(0)
  })

  it(`refuses more than ${SITES_MAX}`, async () => {
    for (let count = 0; count < SITES_MAX; count += 1) await added()
    const answer = await send('POST', '/sites', good)
    expect([answer.statusCode, answer.json().message]).toEqual([409, expect.stringContaining('50')])
  })
})

describe('PATCH /sites/:id', () => {
  it('changes the given fields under the next version', async () => {
    const site = await added()
    const answer = await send('PATCH', `/sites/${site._id}`, { enabled: false, version: 1 })
    expect([answer.statusCode, answer.json().data]).toEqual([200, { ...site, enabled: false, version: 2 }])
    expect((await listed()).sites).toEqual([answer.json().data])
  })

  it('keeps what its visitors read unless it is given, and logs which fields changed', async () => {
    const site = await added({ ...good, displayName: 'Riverside', greeting: { en: 'Hi', zh: '' } })
    const patch = async (body: object) =>
      (await send('PATCH', `/sites/${site._id}`, body)).json().data as Site
    expect(await patch({ name: 'Other', version: 1 })).toEqual({ ...site, name: 'Other', version: 2 })
    const { displayName, look } = site
    const greeting = { en: 'Hello', zh: '您好' }
    const changed = await patch({ displayName, greeting, look, version: 2 })
    expect(changed).toMatchObject({ displayName, greeting, version: 3 })
    expect(await patch({ displayName: '', version: 3 })).toMatchObject({ displayName: '', greeting })
    const { entries } = (await send('GET', '/audit?action=site.changed&limit=3')).json()
    expect(entries.map(({ details }: { details: object }) => details)).toEqual([
      { fields: ['displayName'] },
      { fields: ['greeting'] },
      { fields: ['name'] },
    ])
  })

  it('replaces the words of all languages, and keeps those whose language file is gone', async () => {
    const { storage, languages } = test.app.useCases
    const label = { en: 'Chat', zh: '', de: 'Fragen?' }
    const site = await added({
      ...good,
      greeting: { en: 'Hi', zh: '', de: 'Hallo' },
      look: { ...look, label },
    })
    const patch = async (body: object) =>
      (await send('PATCH', `/sites/${site._id}`, body)).json().data as Site
    const changed = await patch({ greeting: { en: 'Hi', zh: '' }, version: 1 })
    expect([changed.greeting, changed.look.label]).toEqual([{ en: 'Hi', zh: '' }, label])
    expect(languages.isKnown('sv')).toBe(false)
    await storage.sites.update(site._id, { otherGreetings: { sv: 'Hej' } }, 2)
    const greeting = { en: 'Hello', zh: '', sv: 'Hej hej', da: 'Hej' }
    const { greeting: kept } = await patch({ greeting, version: 3 })
    expect(kept).toEqual({ en: 'Hello', zh: '', sv: 'Hej hej' })
  })

  it('refuses another version, none, no change and an unknown site', async () => {
    const { _id } = await added()
    const patch = async (id: string, body: object) => {
      const answer = await send('PATCH', `/sites/${id}`, body)
      return [answer.statusCode, answer.json().details?.[0]?.field]
    }
    expect(await patch(_id, { name: 'x', version: 2 })).toEqual([409, 'version'])
    expect(await patch(_id, { name: 'x' })).toEqual([400, 'version'])
    expect(await patch(_id, { version: 1 })).toEqual([400, undefined])
    expect(await patch('nothing', { name: 'x', version: 1 })).toEqual([404, undefined])
    expect(await patch(_id, { origins: ['https://x.example/'], version: 1 })).toEqual([400, 'origins/0'])
  })
})

describe('secrets', () => {
  it('are shown once, stored encrypted, and at most two', async () => {
    const { _id } = await added()
    const first = await send('POST', `/sites/${_id}/secrets`)
    expect([first.statusCode, first.json()]).toEqual([
      201,
      { secret: expect.stringMatching(/^pps_[A-Za-z0-9_-]{43}$/), _id: expect.any(String) },
    ])
    const second = await send('POST', `/sites/${_id}/secrets`)
    expect((await send('POST', `/sites/${_id}/secrets`)).statusCode).toBe(409)
    const shown = JSON.stringify(await listed())
    const stored = JSON.stringify(await test.app.useCases.storage.sites.find(_id))
    for (const { secret } of [first.json(), second.json()]) {
      expect(shown).not.toContain(secret.slice(4))
      expect(stored).not.toContain(secret.slice(4))
    }
    expect((await send('DELETE', `/sites/${_id}/secrets/${first.json()._id}`)).statusCode).toBe(204)
    expect((await send('DELETE', `/sites/${_id}/secrets/${first.json()._id}`)).statusCode).toBe(404)
    const { secrets, version } = (await listed()).sites[0] as Site
    expect(secrets).toEqual([{ _id: second.json()._id, createdAt: expect.any(String), lastUsedAt: null }])
    expect(version).toBe(1)
    expect((await send('POST', '/sites/nothing/secrets')).statusCode).toBe(404)
  })
})

it('a change is known to its node at once, and to another by its next read', async () => {
  const { sites, storage } = test.app.useCases
  const { _id } = await added()
  expect(await sites.find(_id)).toMatchObject({ enabled: true, name: 'Shop' })
  await send('PATCH', `/sites/${_id}`, { enabled: false, version: 1 })
  expect(await sites.find(_id)).toMatchObject({ enabled: false })
  // As another node does.
  await storage.sites.update(_id, { enabled: true }, 2)
  await expect.poll(async () => (await sites.find(_id))?.enabled, { timeout: 5_000 }).toBe(true)
  await send('DELETE', `/sites/${_id}`)
  expect(await sites.find(_id)).toBeNull()
})

it('everything is for admins only', async () => {
  const { _id } = await added()
  for (const [method, path] of [
    ['GET', '/sites'],
    ['POST', '/sites'],
    ['PATCH', `/sites/${_id}`],
    ['DELETE', `/sites/${_id}`],
    ['POST', `/sites/${_id}/secrets`],
    ['DELETE', `/sites/${_id}/secrets/x`],
  ] as const) {
    expect((await test.call(method, `/api${path}`)).statusCode).toBe(401)
  }
})
