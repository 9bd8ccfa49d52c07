import { embedPaths } from '@proctorpass/shared/embed'
import { AppError } from '@proctorpass/shared/errors'
import type { Identify, Opened, Remember } from '@proctorpass/shared/schemas/site'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { moveOutbox } from '../chat/engine/outbox.ts'
import { adoptVisitor, renewVisitor, storedVisitor, type Visitor } from '../chat/engine/visitor.ts'
import { thisTab } from '../chat/view/this-tab.ts'
import { ensureVisitor } from '../chat/widget/panel.tsx'
import { callApi } from '../lib/api.ts'
import { readStorage, writeStorage } from '../lib/browser-storage.ts'
import { embeddedSite } from '../lib/embedded-site.ts'
import { forgetStored } from './forget-stored.ts'
import type { Host } from './host.ts'
import type { Hello } from './protocol.ts'

/** In localStorage: the `sub` of the token that opened the stored conversation. */
const SIGNED_KEY = 'chat:signed'
/** In localStorage: the conversation that the cookie opens, and when it was set. */
const REMEMBERED_KEY = 'chat:remembered'
/** Each time, the cookie lives for 400 days more. */
const REMEMBER_AGAIN_MS = 30 * 24 * 60 * 60 * 1_000
const RETRY_MS = 5_000

/** Who the visitor of the frame is. */
export interface Visits {
  /** Whose conversation is shown; null while that is not decided, and nothing may be shown. */
  readonly shown: StoreApi<Visitor | null>
  begin(hello: Pick<Hello, 'logout' | 'token'>): void
  identify(token: string): void
  logout(): void
  /** Sets the cookie that brings the conversation back. Call once it has a stored message. */
  remember(visitor: Visitor): void
}

/** Decides one after another, so that the last call wins. */
export function createVisits(host: Pick<Host, 'send'>): Visits {
  const tab = thisTab()
  const shown = createStore<Visitor | null>(() => null)
  const site = embeddedSite ?? ''
  /** The conversations that this page wanted to be remembered. */
  const asked = new Set<string>()
  let newest: string | null = null
  let turn = Promise.resolve()

  const next = (work: () => Promise<void>) => {
    turn = turn.then(work).catch(() => {})
  }
  const fail = (error: unknown) =>
    host.send({ type: 'event', name: 'error', code: error instanceof AppError ? error.code : 'unavailable' })

  function show(visitor: Visitor | null): void {
    const before = shown.getState()
    if (before?.clientId !== visitor?.clientId || before?.key !== visitor?.key) shown.setState(visitor, true)
  }

  /** A browser may have emptied the storage of the frame: then the cookie opens the conversation. */
  async function restore(): Promise<void> {
    if (storedVisitor(tab) !== null) return
    const opened = await post<Opened | undefined>(embedPaths.restore(site)).catch(() => undefined)
    if (opened) await adoptVisitor(opened, tab)
  }

  async function arrive(): Promise<void> {
    await restore()
    show(await ensureVisitor())
  }

  async function forget(): Promise<void> {
    show(null)
    await forgetStored().catch(() => {})
    await renewVisitor(tab)
    await callApi(embedPaths.remember(site), { method: 'DELETE', keepalive: true }).catch(() => {})
  }

  async function identify(token: string): Promise<void> {
    if (token !== newest) return
    const sub = subOf(token)
    if (![null, sub].includes(readStorage(SIGNED_KEY))) await forget()
    else await restore()
    const current = storedVisitor(tab)
    const isSigned = readStorage(SIGNED_KEY) !== null
    const known = current?.key ? { clientId: current.clientId, key: current.key } : {}
    try {
      const body: Identify = { token, ...known }
      const opened = await post<Opened>(embedPaths.identify(site), body)
      if (token !== newest) return
      if (current && !isSigned) moveOutbox(tab, current.clientId, opened.clientId)
      await adoptVisitor(opened, tab)
      writeStorage(SIGNED_KEY, sub)
    } catch (error) {
      fail(error)
      if (error instanceof AppError && error.retryable)
        setTimeout(() => next(() => identify(token)), RETRY_MS)
    }
    show(await ensureVisitor())
  }

  const visits: Visits = {
    shown,
    begin({ logout, token }) {
      if (logout) visits.logout()
      if (token !== null) visits.identify(token)
      else if (!logout) next(arrive)
    },
    identify(token) {
      newest = token
      // Not even for the moment that the answer takes.
      if (![null, subOf(token)].includes(readStorage(SIGNED_KEY))) show(null)
      next(() => identify(token))
    },
    logout() {
      newest = null
      show(null)
      next(async () => {
        await forget()
        if (newest === null) show(await ensureVisitor())
      })
    },
    remember({ clientId, key }) {
      const [known, at] = readStorage(REMEMBERED_KEY)?.split(' ') ?? []
      if (
        key === null ||
        asked.has(clientId) ||
        (known === clientId && Date.now() - Number(at) < REMEMBER_AGAIN_MS)
      )
        return
      asked.add(clientId)
      const body: Remember = { clientId, key }
      post(embedPaths.remember(site), body)
        .then(() => writeStorage(REMEMBERED_KEY, `${clientId} ${Date.now()}`))
        .catch(() => {})
    },
  }
  // Another tab logged out, or in as another person.
  tab.events.addEventListener('storage', () => {
    const before = shown.getState()
    const stored = storedVisitor(tab)
    if (before === null || stored?.clientId === before.clientId) return
    show(null)
    next(async () => show(await ensureVisitor()))
  })
  return visits
}

const post = <T>(path: string, body: object = {}) => callApi<T>(path, { method: 'POST', body })

/** Not checked: the server does that. Null for what is no token. */
function subOf(token: string): string | null {
  try {
    const [, payload = ''] = token.split('.')
    const { sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    // As it was encoded.
    return typeof sub === 'string' ? sub : null
  } catch {
    return null
  }
}
