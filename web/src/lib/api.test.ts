// @vitest-environment jsdom

import { AppError } from '@proctorpass/shared/errors'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { API, givePageState } from '../testing/page-state.ts'
import { callApi } from './api.ts'

const server = setupServer()

beforeAll(() => {
  givePageState()
  server.listen({ onUnhandledFrame: 'error' })
})
afterEach(() => {
  vi.restoreAllMocks()
  server.resetHandlers()
})
afterAll(() => server.close())

describe('callApi', () => {
  it('sends JSON with a bearer token and resolves to the response', async () => {
    server.use(
      http.post(`${API}/chat`, async ({ request }) =>
        HttpResponse.json({
          body: await request.json(),
          authorization: request.headers.get('authorization'),
          type: request.headers.get('content-type'),
        }),
      ),
    )
    expect(await callApi('/chat', { method: 'POST', body: { message: 'hi' }, token: 'abc' })).toEqual({
      body: { message: 'hi' },
      authorization: 'Bearer abc',
      type: 'application/json',
    })
  })

  it('sends cookies only with auth calls', async () => {
    // Read from the call: a request that msw intercepted has lost its credentials mode.
    const fetched = vi.spyOn(globalThis, 'fetch')
    server.use(http.all(`${API}/*`, () => HttpResponse.json({})))
    await callApi('/auth', { method: 'POST', body: {} })
    await callApi('/auth/refresh/1')
    await callApi('/chat')
    expect(fetched.mock.calls.map(([, init]) => init?.credentials)).toEqual(['include', 'include', 'omit'])
  })

  it('rejects with the error of the server', async () => {
    server.use(
      http.get(`${API}/chat`, () =>
        HttpResponse.json(
          {
            message: 'Too fast.',
            code: 'rate-limited',
            details: [{ field: 'a', message: 'b' }],
            retryAfterMs: 2_500,
          },
          { status: 429 },
        ),
      ),
    )
    expect(await failure()).toMatchObject({
      code: 'rate-limited',
      message: 'Too fast.',
      details: [{ field: 'a', message: 'b' }],
      retryAfterMs: 2_500,
      retryable: true,
    })
  })

  it.each([
    [502, '<h1>Bad gateway</h1>'],
    [502, '{}'],
    [503, '{"message":"No healthy upstream"}'],
    [504, '{"code":504,"message":"Timed out"}'],
    [500, '<h1>Internal Server Error</h1>'],
    [500, ''],
    [404, '<h1>Not found</h1>'],
    [200, '<h1>Sign in to the WiFi</h1>'],
  ])('takes the answer of a proxy for an unreachable server: %d %s', async (status, body) => {
    server.use(
      http.get(`${API}/chat`, () => new HttpResponse(body, { status, headers: { 'retry-after': '3' } })),
    )
    expect(await failure()).toMatchObject({
      code: 'unavailable',
      message: "We can't reach the server. We'll keep trying.",
      retryAfterMs: 3_000,
    })
  })

  it.each([
    [500, {}, 'internal'],
    [500, null, 'internal'],
    [500, [], 'internal'],
    [500, { code: 'internal' }, 'internal'],
    [503, { code: 'unavailable', message: '' }, 'unavailable'],
    [429, { message: { en: 'No' } }, 'rate-limited'],
    [422, {}, 'invalid-input'],
  ])('says that something went wrong when %d has no message: %j', async (status, body, code) => {
    server.use(http.get(`${API}/chat`, () => HttpResponse.json(body, { status })))
    expect(await failure()).toMatchObject({ code, message: 'something went wrong' })
  })

  it.each([
    [500, { message: 'Ask again on Monday.' }, 'internal'],
    [500, { message: 'Ask again on Monday.', code: 'of-tomorrow' }, 'internal'],
    [503, { message: 'Ask again on Monday.', code: 'of-tomorrow' }, 'unavailable'],
    [418, { message: 'Ask again on Monday.', code: 418 }, 'invalid-input'],
  ])('shows the message of %d with an unknown code: %j', async (status, body, code) => {
    server.use(http.get(`${API}/chat`, () => HttpResponse.json(body, { status })))
    expect(await failure()).toMatchObject({ code, message: 'Ask again on Monday.' })
  })

  it('distinguishes being offline from an unreachable server', async () => {
    server.use(http.get(`${API}/chat`, () => HttpResponse.error()))
    expect((await failure()).message).toBe("We can't reach the server. We'll keep trying.")
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    expect((await failure()).message).toBe("You seem to be offline. We'll keep trying.")
  })

  it('rejects with the reason when the caller aborts', async () => {
    server.use(http.get(`${API}/chat`, () => new Promise<never>(() => {})))
    const controller = new AbortController()
    const call = callApi('/chat', { signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
  })
})

async function failure(): Promise<AppError> {
  const error = await callApi('/chat').then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}
