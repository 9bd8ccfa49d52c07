// @vitest-environment jsdom

import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { http } from '../testing/our-http.ts'
import { API, givePageState } from '../testing/page-state.ts'
import { SIGNED_OUT, useAuth } from './auth-store.ts'
import {
  callAsAdmin,
  onConfirmRequired,
  refreshSession,
  sessionPersists,
  signIn,
  signOut,
} from './session.ts'

const USER_ID = 'a'.repeat(24)
const refused = (status: number, code: string) => () =>
  HttpResponse.json({ message: 'No.', code, requestId: '1' }, { status })

/** How many tokens were handed out; the newest is the only good one. */
let issued = 0
const token = () => `token-${issued}`
function hand() {
  issued += 1
  return HttpResponse.json({ accessToken: token(), roles: ['Admin'], user_Id: USER_ID, userName: 'Ada' })
}

const server = setupServer(
  http.post(`${API}/auth`, hand),
  http.get(`${API}/auth/refresh/${USER_ID}`, hand),
  http.post(`${API}/auth/logout`, () => HttpResponse.json({ message: 'Bye' })),
  http.get(`${API}/chat`, ({ request }) =>
    request.headers.get('authorization') === `Bearer ${token()}`
      ? HttpResponse.json([])
      : refused(403, 'forbidden')(),
  ),
)

beforeAll(() => {
  givePageState()
  server.listen({ onUnhandledFrame: 'error' })
})
beforeEach(() => {
  issued = 0
  localStorage.clear()
  useAuth.setState(SIGNED_OUT)
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

describe('signIn', () => {
  it('keeps the token in memory and stores only the user id', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    expect(useAuth.getState()).toMatchObject({ accessToken: 'token-1', userName: 'Ada', roles: ['Admin'] })
    expect({ ...localStorage }).toEqual({ userId: USER_ID })
  })
})

describe('signOut', () => {
  it('ends before the next sign-in is sent: its answer removes the cookie', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    const answered = Promise.withResolvers<void>()
    const seen: string[] = []
    server.use(
      http.post(`${API}/auth/logout`, async () => {
        await answered.promise
        seen.push('signed out')
        return HttpResponse.json({ message: 'Bye' })
      }),
      http.post(`${API}/auth`, () => {
        seen.push('signed in')
        return hand()
      }),
    )
    const leaving = signOut()
    expect(useAuth.getState()).toMatchObject(SIGNED_OUT)
    const entering = signIn({ userName: 'Ada', password: 'secret' })
    // Long enough for a request to arrive.
    await fetch(`${API}/auth/refresh/${USER_ID}`)
    answered.resolve()
    await Promise.all([leaving, entering])
    expect(seen).toEqual(['signed out', 'signed in'])
  })

  it('does not keep the next sign-in from an unreachable server', async () => {
    server.use(http.post(`${API}/auth/logout`, () => HttpResponse.error()))
    await expect(signOut()).rejects.toMatchObject({ code: 'unavailable' })
    await signIn({ userName: 'Ada', password: 'secret' })
    expect(useAuth.getState().userName).toBe('Ada')
  })
})

describe('refreshSession', () => {
  it('shares one request among concurrent calls', async () => {
    localStorage.setItem('userId', USER_ID)
    expect(await Promise.all([refreshSession(), refreshSession()])).toEqual(['token-1', 'token-1'])
    expect(await refreshSession()).toBe('token-2')
  })

  it('sends no request without an earlier sign-in', async () => {
    await expect(refreshSession()).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('signs out when the server refuses, not when it is unreachable', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    server.use(http.get(`${API}/auth/refresh/${USER_ID}`, () => HttpResponse.error()))
    await expect(refreshSession()).rejects.toMatchObject({ code: 'unavailable' })
    expect(useAuth.getState().userName).toBe('Ada')
    server.use(http.get(`${API}/auth/refresh/${USER_ID}`, refused(401, 'unauthorized')))
    await expect(refreshSession()).rejects.toMatchObject({ code: 'unauthorized' })
    expect(useAuth.getState()).toMatchObject(SIGNED_OUT)
  })

  it('does not restore a session that was signed out meanwhile', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    const refused = expect(refreshSession()).rejects.toMatchObject({ code: 'unauthorized' })
    await signOut()
    await refused
    expect(useAuth.getState().accessToken).toBeNull()
  })
})

describe('signOut', () => {
  it('clears the session also when the server is unreachable', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    server.use(http.post(`${API}/auth/logout`, () => HttpResponse.error()))
    await expect(signOut()).rejects.toMatchObject({ code: 'unavailable' })
    expect(useAuth.getState()).toMatchObject(SIGNED_OUT)
    expect(localStorage.getItem('userId')).toBeNull()
  })
})

describe('callAsAdmin', () => {
  it('refreshes once for all calls and retries each after a 403', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    useAuth.setState({ accessToken: 'expired' })
    expect(await Promise.all([callAsAdmin('/chat'), callAsAdmin('/chat')])).toEqual([[], []])
    expect(issued).toBe(2)
  })

  it('rejects with the second 403', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    server.use(http.get(`${API}/chat`, refused(403, 'forbidden')))
    await expect(callAsAdmin('/chat')).rejects.toMatchObject({ code: 'forbidden' })
    expect(issued).toBe(2)
  })

  it('does not refresh for other refusals', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    server.use(http.get(`${API}/chat`, refused(404, 'not-found')))
    await expect(callAsAdmin('/chat')).rejects.toMatchObject({ code: 'not-found' })
    expect(issued).toBe(1)
  })

  it('asks for a confirmation, and repeats the call without a refresh', async () => {
    await signIn({ userName: 'Ada', password: 'secret' })
    let isConfirmed = false
    server.use(
      http.delete(`${API}/keys/1`, () =>
        isConfirmed ? HttpResponse.json({ message: 'Gone' }) : refused(403, 'confirm-required')(),
      ),
    )
    const remove = () => callAsAdmin('/keys/1', { method: 'DELETE' })
    await expect(remove()).rejects.toMatchObject({ code: 'confirm-required' })
    let asked = 0
    const stop = onConfirmRequired(async () => {
      asked += 1
      isConfirmed = true
    })
    expect(await remove()).toEqual({ message: 'Gone' })
    isConfirmed = false
    const end = onConfirmRequired(() => Promise.reject(new Error('canceled')))
    await expect(remove()).rejects.toThrow('canceled')
    end()
    stop()
    expect([asked, issued]).toEqual([1, 1])
  })

  it('refreshes first without a token', async () => {
    localStorage.setItem('userId', USER_ID)
    expect(await callAsAdmin('/chat')).toEqual([])
  })
})

describe('sessionPersists', () => {
  it('is true unless it was turned off', () => {
    expect(sessionPersists()).toBe(true)
    localStorage.setItem('persist', 'false')
    expect(sessionPersists()).toBe(false)
  })
})
