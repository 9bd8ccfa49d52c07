import { AppError } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { Login, SignedIn } from '@proctorpass/shared/schemas/auth'
import type { Challenge, FactorAnswer } from '@proctorpass/shared/schemas/factors'
import type { AcceptInvite } from '@proctorpass/shared/schemas/team'
import { type CallOptions, callApi } from './api.ts'
import { SIGNED_OUT, useAuth } from './auth-store.ts'
import { PUSH_ENDPOINT_KEY, readStorage, writeStorage } from './browser-storage.ts'

const USER_ID_KEY = 'userId'
const PERSIST_KEY = 'persist'
const SIGN_OUT_MS = 10_000

/** Returns whether a reload tries to restore the session. */
export function sessionPersists(): boolean {
  return readStorage(PERSIST_KEY) !== 'false'
}

/** Signs in, or resolves with the second step that is required. */
export function signIn(login: Login): Promise<SignedIn | Challenge> {
  return begin(paths.auth, login)
}

/** Answers a sign-in's second step. */
export function signInWithFactor(answer: FactorAnswer): Promise<SignedIn | Challenge> {
  return begin(paths.factor, answer)
}

/** Chooses a password with an invitation's link, and signs in. */
export function acceptInvite(input: AcceptInvite): Promise<SignedIn | Challenge> {
  return begin(paths.invite, input)
}

/** The sign-out that is in progress. */
let leaving: Promise<unknown> = Promise.resolve()

/** Calls a path that begins a session. It first waits for a sign-out, whose answer removes the session's cookie. */
export async function begin(path: string, body: object): Promise<SignedIn | Challenge> {
  await leaving
  const signedIn = await callApi<SignedIn | Challenge>(path, { method: 'POST', body })
  if ('challenge' in signedIn) return signedIn
  refreshing = null
  writeStorage(USER_ID_KEY, signedIn.user_Id)
  // The previous session's subscriptions have ended with it. The dashboard subscribes again.
  writeStorage(PUSH_ENDPOINT_KEY, null)
  remember(signedIn)
  return signedIn
}

/** Signs out locally in any case. Rejects if the server could not be reached. */
export async function signOut(): Promise<void> {
  refreshing = null
  writeStorage(USER_ID_KEY, null)
  useAuth.setState(SIGNED_OUT)
  const left = callApi(paths.logout, { method: 'POST', signal: AbortSignal.timeout(SIGN_OUT_MS) })
  leaving = left.catch(() => {})
  await left
}

let refreshing: Promise<string> | null = null

/**
 * Returns a new access token for the cookie's session. Concurrent calls share one request. If two tabs call at once,
 * the server gives both the same successor. A refusal signs the admin out.
 *
 * @see docs/decisions/0006-refresh-tokens.md
 */
export function refreshSession(): Promise<string> {
  if (refreshing) return refreshing
  const mine: Promise<string> = refresh(() => refreshing === mine).finally(() => {
    if (refreshing === mine) refreshing = null
  })
  refreshing = mine
  return mine
}

async function refresh(isCurrent: () => boolean): Promise<string> {
  const userId = useAuth.getState().user_Id ?? readStorage(USER_ID_KEY)
  if (userId === null) throw new AppError('unauthorized', 'Sign in to continue.')
  try {
    const signedIn = await callApi<SignedIn>(paths.refresh(userId))
    // The admin has signed in or out since then, which is newer.
    if (!isCurrent()) throw new AppError('unauthorized', 'Sign in to continue.')
    remember(signedIn)
    return signedIn.accessToken
  } catch (error) {
    if (isCurrent() && error instanceof AppError && !error.retryable) useAuth.setState(SIGNED_OUT)
    throw error
  }
}

function remember({ roles, accessToken, user_Id, userName }: SignedIn): void {
  useAuth.setState({ roles, accessToken, user_Id, userName })
}

/** Calls the API with the admin's token, as `withToken` does. */
export function callAsAdmin<T>(path: string, options: Omit<CallOptions, 'token'> = {}): Promise<T> {
  return withToken((token) => callApi<T>(path, { ...options, token }))
}

let askToConfirm: (() => Promise<void>) | null = null

/**
 * Calls `ask` when the server wants the admin to confirm who they are. When it resolves, the refused call is repeated.
 * Returns a function that ends this.
 */
export function onConfirmRequired(ask: () => Promise<void>): () => void {
  askToConfirm = ask
  return () => {
    askToConfirm = null
  }
}

/**
 * Runs a call with the admin's token. It runs the call again with a fresh token after a 403, and again once the admin
 * has confirmed who they are.
 */
export async function withToken<T>(call: (token: string) => Promise<T>): Promise<T> {
  try {
    return await withFreshToken(call)
  } catch (error) {
    if (!isConfirmRequired(error) || askToConfirm === null) throw error
    await askToConfirm()
    return await withFreshToken(call)
  }
}

function isConfirmRequired(error: unknown): boolean {
  return error instanceof AppError && error.code === 'confirm-required'
}

/** A refused token causes one shared refresh and one retry. */
async function withFreshToken<T>(call: (token: string) => Promise<T>): Promise<T> {
  const token = useAuth.getState().accessToken ?? (await refreshSession())
  try {
    return await call(token)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'forbidden') throw error
    const newer = useAuth.getState().accessToken
    const fresh = newer !== null && newer !== token ? newer : await refreshSession()
    return await call(fresh)
  }
}
