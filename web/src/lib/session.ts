import { AppError } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { Login, SignedIn } from '@proctorpass/shared/schemas/auth'
import { type CallOptions, callApi } from './api.ts'
import { SIGNED_OUT, useAuth } from './auth-store.ts'
import { readStored, writeStored } from './browser-storage.ts'

const USER_ID_KEY = 'userId'
const PERSIST_KEY = 'persist'

/** Whether a reload should try to get the session back. */
export function sessionPersists(): boolean {
  return readStored(PERSIST_KEY) !== 'false'
}

export async function signIn(login: Login): Promise<SignedIn> {
  const signedIn = await callApi<SignedIn>(paths.auth, { method: 'POST', body: login })
  refreshing = null
  writeStored(USER_ID_KEY, signedIn.user_Id)
  remember(signedIn)
  return signedIn
}

/** Forgets the session here in any case; rejects when the server could not be told. */
export async function signOut(): Promise<void> {
  refreshing = null
  writeStored(USER_ID_KEY, null)
  useAuth.setState(SIGNED_OUT)
  await callApi(paths.logout, { method: 'POST' })
}

let refreshing: Promise<string> | null = null

/**
 * A new access token for the session that the cookie stands for; calls at the same time share one request. (Two
 * tabs may ask at once: the server hands both the same successor.) Refused: nobody is signed in any more.
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
  const userId = useAuth.getState().user_Id ?? readStored(USER_ID_KEY)
  if (userId === null) throw new AppError('unauthorized', 'Please sign in.')
  try {
    const signedIn = await callApi<SignedIn>(paths.refresh(userId))
    // Somebody signed out or in while this was under way: their word is the newer one.
    if (!isCurrent()) throw new AppError('unauthorized', 'Please sign in.')
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

/** Calls the API with the admin's token. A 403 leads to one refresh, shared by all, and one retry. */
export function callAsAdmin<T>(path: string, options: Omit<CallOptions, 'token'> = {}): Promise<T> {
  return withToken((token) => callApi<T>(path, { ...options, token }))
}

/** Runs a call with the admin's token; once more, with a fresh one, when it was answered 403. */
export async function withToken<T>(call: (token: string) => Promise<T>): Promise<T> {
  const token = useAuth.getState().accessToken ?? (await refreshSession())
  try {
    return await call(token)
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 403) throw error
    const newer = useAuth.getState().accessToken
    const fresh = newer !== null && newer !== token ? newer : await refreshSession()
    return await call(fresh)
  }
}
