import { PAGE_PATH_MAX, PAGE_SECONDS_MAX, PAGE_TITLE_MAX, PAGES_KEPT } from '@proctorpass/shared/limits'
import type { PageView, PatchProfile } from '@proctorpass/shared/schemas/inbox'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import { embeddedSite } from '../../../lib/embedded-site.ts'
import { listen } from '../../../lib/listen.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { visitedPage } from '../../../lib/visited-page.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { PAGES_KEY, reportSoon } from './profile.ts'

type Followed = Pick<VisitorChat, 'report' | 'conversation'>

/** Pages that the visitor passes through within this time cost one report together. */
const SETTLED_MS = 2_000
/** Returning to the last page within this time, or reloading it, is no new view. */
const SAME_VIEW_MS = 30 * 60 * 1_000

/** A stored view. `reported` is the number of seconds that the server knows; missing until it knows the view. */
type KeptView = PageView & { reported?: number }

let following: { chat: Followed; epoch: string; look(): void; stop(): void } | null = null

/**
 * Reports the visitor's new data, and follows the pages that they see from now on. The history of `epoch` must have a
 * message. Call this again when the visitor is on another of a site's pages; changes on our own pages are noticed.
 */
export function followPages(chat: Followed, epoch: string): void {
  if (following?.chat === chat && following.epoch === epoch) {
    following.look()
    return
  }
  following?.stop()
  following = follow(chat, epoch)
}

function follow(chat: Followed, epoch: string) {
  let view = enter(epoch)
  let visibleSince = visibleNow()
  let timer: ReturnType<typeof setTimeout> | undefined
  report()

  function report(): void {
    const always = pagesOf(epoch).some(isUnreported)
    void reportSoon(withPages(chat, epoch), epoch, { always })
  }

  function keepTime(): void {
    if (visibleSince !== null) {
      const seconds = view.seconds + Math.round((performance.now() - visibleSince) / 1_000)
      view = { ...view, seconds: Math.min(seconds, PAGE_SECONDS_MAX) }
      put(epoch, view)
    }
    visibleSince = visibleNow()
  }

  function look(): void {
    if (chat.conversation.getState().messages[0]?.epoch !== epoch) {
      stop()
      return
    }
    const { path, title } = here()
    if (path === view.path) {
      // The new title follows a moment after the path.
      if (title === view.title) return
      view = { ...view, title }
      put(epoch, view)
      return
    }
    keepTime()
    view = enter(epoch)
    clearTimeout(timer)
    timer = setTimeout(report, SETTLED_MS)
  }

  // Each of our pages changes the document's head.
  const head = new MutationObserver(look)
  if (embeddedSite === null)
    head.observe(document.head, { childList: true, subtree: true, characterData: true })
  const ignore = listen(window, ['visibilitychange', 'pagehide'], keepTime, { capture: true })

  function stop(): void {
    following = null
    clearTimeout(timer)
    head.disconnect()
    ignore()
  }
  return { chat, epoch, look, stop }
}

/** Returns the same chat, whose report also contains the pages. */
function withPages(chat: Followed, epoch: string): Followed {
  const { conversation } = chat
  async function report(profile: PatchProfile) {
    const views = pagesOf(epoch).filter(isUnreported)
    const pages = views.map(({ reported: _, ...view }) => view)
    const answer = await chat.report(pages.length === 0 ? profile : { ...profile, pages })
    for (const { at, path, seconds } of views) put(epoch, { at, path, reported: seconds })
    return answer
  }
  return { conversation, report }
}

const isUnreported = ({ reported, seconds }: KeptView) => reported !== seconds

const visibleNow = () => (document.visibilityState === 'visible' ? performance.now() : null)

function here(): Pick<PageView, 'path' | 'title'> {
  // For a site, only the path is known. On our pages, the number of unread messages precedes the title.
  const title = embeddedSite === null ? document.title.replace(/^\(\d+\) /, '') : ''
  const line = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return {
    path: visitedPage().slice(0, PAGE_PATH_MAX),
    title: [...line].slice(0, PAGE_TITLE_MAX).join(''),
  }
}

/** Returns the current page's view, which is the last one if it continues. */
function enter(epoch: string): PageView {
  const now = serverNow()
  const last = pagesOf(epoch).at(-1)
  const { path, title } = here()
  const isSame = last?.path === path && now - Date.parse(last.at) < last.seconds * 1_000 + SAME_VIEW_MS
  const view = isSame ? last : { path, title, at: new Date(now).toISOString(), seconds: 0 }
  put(epoch, view)
  return view
}

/** Returns a history's stored pages, oldest first. */
function pagesOf(epoch: string): KeptView[] {
  try {
    const kept = JSON.parse(readStorage(PAGES_KEY) ?? '') as { epoch: string; pages: KeptView[] }
    return kept.epoch === epoch ? kept.pages : []
  } catch {
    return []
  }
}

/** Changes a stored page, or adds it. Another tab may have added some in the meantime. */
function put(epoch: string, view: Pick<KeptView, 'at' | 'path'> & Partial<KeptView>): void {
  const pages = pagesOf(epoch)
  const known = pages.find(({ at, path }) => at === view.at && path === view.path)
  if (known) Object.assign(known, view)
  else if (view.seconds !== undefined) pages.push(view as KeptView)
  writeStorage(PAGES_KEY, JSON.stringify({ epoch, pages: pages.slice(-PAGES_KEPT) }))
}
