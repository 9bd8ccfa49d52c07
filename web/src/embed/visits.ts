import { embedPaths } from '@proctorpass/shared/embed'
import { AppError } from '@proctorpass/shared/errors'
import type { Identify, Opened, Remember, Restored } from '@proctorpass/shared/schemas/site'
import { createStore, type StoreApi } from 'zustand/vanilla'
import { moveOutbox } from '../chat/engine/outbox.ts'
import { adoptVisitor, renewVisitor, storedVisitor, type Visitor } from '../chat/engine/visitor.ts'
import { writeMessageDraft } from '../chat/view/message-draft.ts'
import { thisTab } from '../chat/view/this-tab.ts'
import { ensureVisitor } from '../chat/widget/panel.tsx'
import { callApi } from '../lib/api.ts'
import { readStorage, VISITOR_DRAFT, writeStorage } from '../lib/browser-storage.ts'
import { embeddedSite } from '../lib/embedded-site.ts'
import { forgetStored } from './forget-stored.ts'
import type { Host } from './host.ts'
import type { Hello } from './protocol.ts'

/** The key in localStorage for the `sub` of the token that opened the stored conversation. */
const SIGNED_KEY = 'chat:signed'
/** The key in localStorage for the epoch of the history that the cookie opens, and for the time at which it was set. */
const REMEMBERED_KEY = 'chat:remembered'
/** Each time it is set, the cookie lives for another 400 days. */
const REMEMBER_AGAIN_MS = 30 * 24 * 60 * 60 * 1_000
const RETRY_MS = 5_000

/** Decides who the frame's visitor is. */
export interface Visits {
  /** The visitor whose conversation is shown. Null until that is decided, and nothing may be shown until then. */
  readonly shown: StoreApi<Visitor | null>
  begin(hello: Pick<Hello, 'logout' | 'token' | 'test'>): void
  identify(token: string): void
  logout(): void
  /**
   * Sets the cookie that restores the conversation, for the history with this epoch. Call it only if a message is
   * stored.
   */
  remember(visitor: Visitor, epoch: string): void
}

/** Decides one call after another, so that the last call wins. */
export function createVisits(host: Pick<Host, 'send'>): Visits {
  const tab = thisTab()
  const shown = createStore<Visitor | null>(() => null)
  const site = embeddedSite ?? ''
  /** The epochs of the histories that this page has asked the server to remember. */
  const asked = new Set<string>()
  let remembering: Promise<unknown> = Promise.resolve()
  let forgetting: Promise<unknown> = Promise.resolve()
  /** The same value as under SIGNED_KEY, for browsers that forbid storage. */
  let signed: string | null = null
  /** How often the page has said who the visitor is. The result of an older call is not shown. */
  let calls = 0
  /** The token of "Test this site". */
  let test: string | null = null
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

  async function showStored(call: number): Promise<void> {
    const visitor = await ensureVisitor()
    if (call === calls) show(visitor)
  }

  function sign(sub: string | null): void {
    signed = sub
    writeStorage(SIGNED_KEY, sub)
  }

  /** Returns whether the stored conversation belongs to another signed visitor. */
  const isOfAnother = (sub: string | null) => ![null, sub].includes(readStorage(SIGNED_KEY) ?? signed)

  /**
   * Opens the conversation with the cookie, because a browser may have emptied the frame's storage. Without an answer it
   * asks again, because a new visitor would never get the conversation back.
   */
  async function restore(call: number): Promise<void> {
    while (storedVisitor(tab) === null && call === calls) {
      try {
        const opened = await post<Restored | undefined>(embedPaths.restore(site))
        if (!opened) return
        sign(opened.sub)
        await adoptVisitor(opened, tab)
      } catch (error) {
        if (!(error instanceof AppError && error.retryable)) return
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  async function arrive(call: number): Promise<void> {
    await restore(call)
    await showStored(call)
  }

  async function forget(): Promise<void> {
    show(null)
    asked.clear()
    sign(null)
    writeMessageDraft(VISITOR_DRAFT, '')
    await forgetStored().catch(() => {})
    await renewVisitor(tab)
    // An answer that arrives later would set the cookie again.
    await remembering
    if (!(await removesCookie())) forgetting = forgetCookie()
  }

  /** Returns whether the server answered. A refusal is reported to the page. */
  async function removesCookie(): Promise<boolean> {
    try {
      await callApi(embedPaths.remember(site), { method: 'DELETE', keepalive: true })
    } catch (error) {
      if (error instanceof AppError && error.retryable) return false
      fail(error)
    }
    return true
  }

  /** Repeats what failed, because the cookie would open the conversation for the next person at this device. */
  async function forgetCookie(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    while (
      // The next conversation's cookie takes this one's place.
      asked.size === 0 &&
      !(await removesCookie())
    )
  }

  async function identify(token: string, call: number): Promise<void> {
    if (call !== calls) return
    const sub = subOf(token)
    await restore(call)
    if (call !== calls) return
    if (isOfAnother(sub)) await forget()
    const current = storedVisitor(tab)
    const isSigned = isOfAnother(null)
    const known = current?.key ? { clientId: current.clientId, key: current.key } : {}
    try {
      const body: Identify = { token, ...known, ...(test !== null && { test }) }
      const opened = await post<Opened>(embedPaths.identify(site), body)
      if (call !== calls) return
      if (current && !isSigned) moveOutbox(tab, current.clientId, opened.clientId)
      await adoptVisitor(opened, tab)
      sign(sub)
    } catch (error) {
      fail(error)
      if (error instanceof AppError && error.retryable)
        setTimeout(() => next(() => identify(token, call)), RETRY_MS)
    }
    await showStored(call)
  }

  const visits: Visits = {
    shown,
    begin({ logout, token, test: tested }) {
      test = tested
      if (logout) visits.logout()
      if (token !== null) visits.identify(token)
      else if (!logout) next(() => arrive(0))
    },
    identify(token) {
      const call = ++calls
      // The other visitor's conversation must not be shown even until the answer arrives.
      if (isOfAnother(subOf(token))) show(null)
      next(() => identify(token, call))
    },
    logout() {
      const call = ++calls
      show(null)
      next(async () => {
        await forget()
        await showStored(call)
      })
    },
    remember({ clientId, key }, epoch) {
      const [known, at] = readStorage(REMEMBERED_KEY)?.split(' ') ?? []
      if (
        key === null ||
        asked.has(epoch) ||
        (known === epoch && Date.now() - Number(at) < REMEMBER_AGAIN_MS)
      )
        return
      asked.add(epoch)
      const body: Remember = { clientId, key }
      remembering = forgetting
        .then(() => post(embedPaths.remember(site), body))
        .then(() => {
          if (asked.has(epoch)) writeStorage(REMEMBERED_KEY, `${epoch} ${Date.now()}`)
        })
        .catch(() => {})
    },
  }
  // Another tab has signed the visitor out, or another person in.
  tab.events.addEventListener('storage', () => {
    const before = shown.getState()
    const stored = storedVisitor(tab)
    if (before === null || stored?.clientId === before.clientId) return
    show(null)
    signed = null
    const call = calls
    next(() => showStored(call))
  })
  return visits
}

const post = <T>(path: string, body: object = {}) => callApi<T>(path, { method: 'POST', body })

/** Reads a token's `sub` without verifying the token, which the server does. Returns null for a malformed token. */
function subOf(token: string): string | null {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (byte) =>
      byte.charCodeAt(0),
    )
    const { sub } = JSON.parse(new TextDecoder().decode(bytes))
    return typeof sub === 'string' ? sub : null
  } catch {
    return null
  }
}
