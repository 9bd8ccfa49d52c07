// @vitest-environment jsdom

import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { AppError } from '@proctorpass/shared/errors'
import { http as anyHttp, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { http } from '../testing/our-http.ts'
import { API, givePageState } from '../testing/page-state.ts'
import { type CallOptions, callApi } from './api.ts'

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
            requestId: 'r1',
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

  const OURS = { message: 'No.', code: 'forbidden', retryable: false, requestId: 'r1' }
  const SENT = { method: 'POST', body: {} }

  it.each([
    [502, '<h1>Bad gateway</h1>'],
    [503, '{"message":"No healthy upstream"}'],
    [500, ''],
    [200, '<h1>Sign in to the WiFi</h1>'],
    [200, '{"messages":[],"more":false}'],
    [200, '[]'],
    [204, null],
    [400, '{"message":"Bad Request"}'],
    [401, '{"code":"unauthorized","message":"Unauthorized"}'],
    [403, '{"error":"Forbidden"}'],
    [403, JSON.stringify(OURS)],
    [404, '{"message":"no Route matched with those values"}'],
    [409, JSON.stringify({ ...OURS, code: 'conflict' })],
  ])("takes a gateway's answer for an unreachable server: %d %s", async (status, body) => {
    const answer = () => new HttpResponse(body, { status, headers: { 'retry-after': '3' } })
    server.use(anyHttp.all(`${API}/chat`, answer))
    for (const options of [{}, SENT]) {
      expect(await failure(options)).toMatchObject({
        code: 'unavailable',
        message: "We can't reach the server. We'll keep trying.",
        retryAfterMs: 3_000,
      })
    }
  })

  it.each([['{}'], ['null'], ['{"code":"forbidden","message":"No."}'], ['<h1>No</h1>'], ['']])(
    'does not take an error that a gateway has reworded for ours: %s',
    async (body) => {
      server.use(http.get(`${API}/chat`, () => new HttpResponse(body, { status: 403 })))
      expect((await failure()).code).toBe('unavailable')
    },
  )

  it('does not take the answer to another call, which a cache keeps', async () => {
    let kept: Record<string, string> = {}
    const answer = ({ request }: { request: Request }) => {
      kept = kept[CALL_HEADER] ? kept : { [CALL_HEADER]: request.headers.get(CALL_HEADER) ?? '' }
      return HttpResponse.json({ data: 1 }, { headers: kept })
    }
    server.use(anyHttp.all(`${API}/chat`, answer))
    expect(await callApi('/chat', SENT)).toEqual({ data: 1 })
    expect((await failure(SENT)).code).toBe('unavailable')
    expect((await failure()).code).toBe('unavailable')
  })

  it('takes what anyone may read from a cache, and no acknowledgement', async () => {
    const headers = { [CALL_HEADER]: ANY_CALL }
    server.use(anyHttp.all(`${API}/chat`, () => HttpResponse.json([1], { headers })))
    expect(await callApi('/chat')).toEqual([1])
    expect((await failure(SENT)).code).toBe('unavailable')
  })

  it("says that a gateway's limit refuses what was sent", async () => {
    server.use(anyHttp.all(`${API}/chat`, () => new HttpResponse('<h1>Too large</h1>', { status: 413 })))
    const error = await failure(SENT)
    expect(error.message).toBe("This is larger than this website's server accepts.")
    expect([error.code, error.retryable]).toEqual(['too-large', false])
    expect((await failure()).code).toBe('unavailable')
  })

  it('waits no longer than half a minute because a gateway says so', async () => {
    const headers = { 'retry-after': '86400' }
    server.use(anyHttp.get(`${API}/chat`, () => new HttpResponse('', { status: 503, headers })))
    expect((await failure()).retryAfterMs).toBe(30_000)
  })

  it.each([
    [503, true, 'internal'],
    [403, false, 'invalid-input'],
  ])('shows the message of %d with a code of a newer server', async (status, retryable, code) => {
    const body = { message: 'Ask again on Monday.', code: 'of-tomorrow', retryable, requestId: 'r1' }
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

async function failure(options?: CallOptions): Promise<AppError> {
  const error = await callApi('/chat', options).then(
    () => null,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}
