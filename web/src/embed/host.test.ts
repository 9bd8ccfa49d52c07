// @vitest-environment jsdom
import { afterEach, expect, it, vi } from 'vitest'
import { awaitHost, type Host, pageOf } from './host.ts'
import { HELLO } from './protocol.ts'

const SITE = ['https://shop.example', 'https://*.shop.example']
const hello = {
  type: HELLO,
  open: true,
  sheet: false,
  page: '/cart',
  locale: null,
  logout: false,
  token: null,
  test: null,
}

interface Given {
  source?: unknown
  origin?: string
  data?: unknown
  ports?: MessagePort[]
}

/** Whether a message is taken as the hello. */
function listen(parent = {} as Window) {
  vi.spyOn(window, 'parent', 'get').mockReturnValue(parent)
  let host: Host | null = null
  void awaitHost(SITE).then((found) => {
    host = found
  })
  const say = async ({
    source = parent,
    origin = 'https://shop.example',
    data = hello,
    ports,
  }: Given = {}) => {
    const event = new MessageEvent('message', { origin, data })
    const given = ports ?? [new MessageChannel().port2]
    Object.defineProperties(event, { source: { value: source }, ports: { value: given } })
    window.dispatchEvent(event)
    await Promise.resolve()
    return host
  }
  return { say, parent }
}

afterEach(() => vi.restoreAllMocks())

it('takes a hello only from its parent, from an origin of the site, with a port', async () => {
  const { say } = listen()
  expect(await say({ source: window })).toBeNull()
  expect(await say({ source: {} })).toBeNull()
  expect(await say({ source: null })).toBeNull()
  for (const origin of [
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://shop.example.evil.example',
    'null',
    '',
  ])
    expect(await say({ origin })).toBeNull()
  expect(await say({ data: null })).toBeNull()
  expect(await say({ data: { ...hello, type: 'other' } })).toBeNull()
  expect(await say({ ports: [] })).toBeNull()
  expect(await say({ origin: 'https://www.shop.example' })).toMatchObject({
    origin: 'https://www.shop.example',
    hello,
  })
})

it('takes one hello', async () => {
  const { say } = listen()
  const first = await say()
  expect(first).not.toBeNull()
  expect(await say({ data: { ...hello, page: '/other' } })).toBe(first)
  expect(first?.hello.page).toBe('/cart')
})

it('takes none as a page of its own, whose parent is itself', async () => {
  const { say } = listen(window)
  expect(await say()).toBeNull()
})

it('knows the page by the origin that the browser names, without query and fragment', () => {
  const host = { origin: 'https://shop.example' } as Host
  expect(pageOf(host, '/cart?step=2#top')).toBe('https://shop.example/cart')
  expect(pageOf(host, 'https://evil.example/')).toBe('https://shop.example/https://evil.example/')
  expect(pageOf(host, { toString: () => '/x' })).toBe('https://shop.example/x')
})
