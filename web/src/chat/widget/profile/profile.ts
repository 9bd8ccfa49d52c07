import { AppError } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import type { CorrectVisitor, PatchProfile, Reported } from '@proctorpass/shared/schemas/inbox'
import { useSyncExternalStore } from 'react'
import { callApi } from '../../../lib/api.ts'
import { CARD_KEY, readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import { embeddedSite } from '../../../lib/embedded-site.ts'
import { visitedPage } from '../../../lib/visited-page.ts'
import { retryAfter } from '../../engine/backoff.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { createSignal } from '../../engine/signal.ts'
import type { Visitor } from '../../engine/visitor.ts'
import { CHOSEN_KEY, ENGLISH, useLanguage } from '../../language/language.ts'

type Reporting = Pick<VisitorChat, 'report' | 'conversation'>

/** The localStorage key for what the visitor said, and for the last report that the server accepted. */
const PROFILE_KEY = 'chat:said'
const REPORTED_KEY = 'chat:reported'
/** The localStorage key for the pages that the visitor saw in this conversation (see `trail.ts`). */
export const PAGES_KEY = 'chat:pages'

/** After this time, a report without a change tells the server that the visitor was here. */
const REPORT_AGAIN_MS = 60 * 60 * 1_000
const RETRIES = 4
const RETRY_MS = 2_000

interface StoredProfile {
  /**
   * The history to which the profile belongs; empty until its first message is stored. The profile is erased with that
   * history.
   */
  epoch: string
  about: CorrectVisitor
}
interface LastReport {
  epoch: string
  at: number
  profile: PatchProfile
  /** The server's last answer. */
  unsubscribed?: boolean | undefined
}
interface ReportOptions {
  /** Whether to report even if nothing is new, because the caller needs the answer. */
  always?: boolean
}

const changed = createSignal()

export function storedProfile(): CorrectVisitor {
  return read<StoredProfile>(PROFILE_KEY)?.about ?? {}
}

/** Returns the address to which answers to the history of `epoch` are mailed; null if there is none. */
export function useStoredEmail(epoch: string): string | null {
  return useSyncExternalStore(changed.on, () => {
    const stored = read<StoredProfile>(PROFILE_KEY)
    return (belongs(stored, epoch) && stored.about.email) || null
  })
}

/** Returns whether the visitor unsubscribed that address from mails. */
export function useUnsubscribed(): boolean {
  return useSyncExternalStore(changed.on, () => {
    const last = read<LastReport>(REPORTED_KEY)
    return last?.unsubscribed === true && last.epoch === read<StoredProfile>(PROFILE_KEY)?.epoch
  })
}

function belongs(stored: StoredProfile | null, epoch: string): stored is StoredProfile {
  return stored !== null && (stored.epoch === '' || stored.epoch === epoch)
}

function store(stored: StoredProfile | null): void {
  writeStorage(PROFILE_KEY, stored && JSON.stringify(stored))
  changed.emit()
}

/** Stores what the visitor says. It is reported now if there is a message, otherwise after the first one. */
export async function saveProfile(chat: Reporting, about: CorrectVisitor): Promise<void> {
  const epoch = chat.conversation.getState().messages[0]?.epoch ?? ''
  const stored: StoredProfile = { epoch, about }
  if (epoch !== '') await report(chat, epoch, { stored })
  store(stored)
}

/** Called when the visitor erases their conversation. */
export function forgetProfile(): void {
  store(null)
  writeStorage(REPORTED_KEY, null)
  writeStorage(PAGES_KEY, null)
  writeStorage(CARD_KEY, null)
}

/** Loads the values that were given on another device, for a conversation that continues on this one. */
export async function adoptProfile({ clientId, key }: Visitor & { key: string }): Promise<void> {
  const { profile } = await callApi<ConversationExport>(paths.conversationExport(clientId), {
    visitorKey: key,
  })
  const { name, email, examAt } = profile
  const about = Object.entries({ name, email, examAt }).filter(([, value]) => value !== null)
  store({ epoch: '', about: Object.fromEntries(about) })
}

/** Reports in the background. The visitor does not learn about failures. */
export async function reportSoon(chat: Reporting, epoch: string, options: ReportOptions = {}): Promise<void> {
  for (let retries = 0; retries <= RETRIES; retries++) {
    try {
      return await report(chat, epoch, options)
    } catch (error) {
      if (!(error instanceof AppError) || !error.retryable) return
      await new Promise((resolve) => setTimeout(resolve, retryAfter(error) || RETRY_MS * 2 ** retries))
    }
  }
}

/** Sends what the server does not know yet about this visitor and their browser. */
async function report(
  chat: Reporting,
  epoch: string,
  { stored = read<StoredProfile>(PROFILE_KEY), always }: ReportOptions & { stored?: StoredProfile | null },
): Promise<void> {
  const isOurs = belongs(stored, epoch)
  const profile: PatchProfile = { ...(isOurs ? stored.about : {}), ...browser() }
  const before = read<LastReport>(REPORTED_KEY)
  const known = before?.epoch === epoch ? before.profile : {}
  const fields = Object.keys(profile) as (keyof PatchProfile)[]
  const unreported = fields.filter((field) => profile[field] !== known[field])
  const isRecent = before !== null && Math.abs(Date.now() - before.at) < REPORT_AGAIN_MS
  if (unreported.length > 0 || always || !isRecent) {
    const part = Object.fromEntries(unreported.map((field) => [field, profile[field]]))
    const { unsubscribed } = await send(chat, part)
    const last: LastReport = { epoch, at: Date.now(), profile: { ...known, ...profile }, unsubscribed }
    writeStorage(REPORTED_KEY, JSON.stringify(last))
    changed.emit()
  }
  if (stored && !isOurs) store(null)
  else if (stored?.epoch === '') store({ ...stored, epoch })
}

/**
 * Sends the profile. If the server refuses one of the browser's values, such as a time zone that it does not know,
 * sends the rest.
 */
async function send(chat: Reporting, profile: PatchProfile): Promise<Reported> {
  try {
    return await chat.report(profile)
  } catch (error) {
    const refused = error instanceof AppError ? (error.details ?? []).map(({ field }) => field) : []
    const ofBrowser = Object.keys(browser()).filter((field) => refused.includes(field))
    if (ofBrowser.length === 0 || ofBrowser.length < refused.length) throw error
    const rest = Object.entries(profile).filter(([field]) => !ofBrowser.includes(field))
    return chat.report(Object.fromEntries(rest))
  }
}

function browser(): PatchProfile {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const page = visitedPage().slice(0, 300)
  const card = readStorage(CARD_KEY)
  const [origin] = /^https?:\/\/[^/]+/.exec(document.referrer) ?? []
  // In a site's frame, the referrer is the site itself.
  const isForeign = origin !== undefined && origin !== location.origin && embeddedSite === null
  return { locale: locale(), timeZone, page, ...(isForeign && { referrer: origin }), ...(card && { card }) }
}

/**
 * Returns the language for mails: the chat's, or the browser's if the chat is in English only because it lacks that
 * language.
 */
function locale(): string {
  const language = useLanguage.getState()
  const isChosen = readStorage(CHOSEN_KEY) === language.tag
  return language.tag === ENGLISH && !isChosen ? navigator.language : language.locale
}

function read<T>(key: string): T | null {
  try {
    return JSON.parse(readStorage(key) ?? 'null') as T | null
  } catch {
    return null
  }
}
