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

/** Pages that are only passed through within this time cost one report. */
const SETTLED_MS = 2_000
/** Coming back to the last page within this time, or reloading it, is no new view. */
const SAME_VIEW_MS = 30 * 60 * 1_000

/** `reported`: the seconds that the server knows; missing before. */
type KeptView = PageView & { reported?: number }

let following: { chat: Followed; epoch: string; look(): void; stop(): void } | null = null

/**
 * Reports new data of the visitor, and follows the pages that they see from now on. The history of `epoch` has a
 * message. Call again when they are on another page of a site; changes of our own page are seen.
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
      // It comes a moment after the path.
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

  // Each page of ours changes its head.
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

/** The same chat, whose report tells of the pages too. */
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
  // Of a site only the path is known. The number of unread messages stands before our titles.
  const title = embeddedSite === null ? document.title.replace(/^\(\d+\) /, '') : ''
  const line = title.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return {
    path: visitedPage().slice(0, PAGE_PATH_MAX),
    title: [...line].slice(0, PAGE_TITLE_MAX).join(''),
  }
}

/** The view of the present page: the last one, if it continues. */
function enter(epoch: string): PageView {
  const now = serverNow()
  const last = pagesOf(epoch).at(-1)
  const { path, title } = here()
  const isSame = last?.path === path && now - Date.parse(last.at) < last.seconds * 1_000 + SAME_VIEW_MS
  const view = isSame ? last : { path, title, at: new Date(now).toISOString(), seconds: 0 }
  put(epoch, view)
  return view
}

/** The kept pages of a history, oldest first. */
function pagesOf(epoch: string): KeptView[] {
  try {
    const kept = JSON.parse(readStorage(PAGES_KEY) ?? '') as { epoch: string; pages: KeptView[] }
    return kept.epoch === epoch ? kept.pages : []
  } catch {
    return []
  }
}

/** Changes a kept page, or adds it. Another tab may have added some meanwhile. */
function put(epoch: string, view: Pick<KeptView, 'at' | 'path'> & Partial<KeptView>): void {
  const pages = pagesOf(epoch)
  const known = pages.find(({ at, path }) => at === view.at && path === view.path)
  if (known) Object.assign(known, view)
  else if (view.seconds !== undefined) pages.push(view as KeptView)
  writeStorage(PAGES_KEY, JSON.stringify({ epoch, pages: pages.slice(-PAGES_KEPT) }))
}
