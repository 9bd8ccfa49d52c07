import type { LoaderSite } from '@proctorpass/shared/embed'
import type { FromFrame, ToFrame } from '../protocol.ts'
import type { Commands, Widget } from './commands.ts'
import { createFrameLink, type FrameLink } from './frame-link.ts'
import { each, guarded } from './guard.ts'
import { createStops, listen, stayOnPage, watchAddress } from './page-watch.ts'
import { lockScroll } from './scroll-lock.ts'
import { SHEET, styles } from './styles.ts'
import { createView } from './view.ts'

/** In the localStorage of the page: this browser has a conversation. */
const FLAG = 'SupportChat'
/** An address of a page with this behind its `#` comes from "Test this site". */
const TEST = /^#proctorpass-test=([\w-]+)$/
const IDLE_TIMEOUT_MS = 3_000

/** The launcher and the panel on a page of the site. */
export function createWidget(site: LoaderSite, { attach, emit }: Commands): void {
  let locale: string | null = null
  let path: string | null = null
  let token: string | null = null
  let leaving = false
  let failed = false
  let open = false
  let built = false
  let destroyed = false
  let exists = readFlag()
  let unread = 0
  let unreadText = ''
  /** Sent once there is a frame, once. */
  let early: ToFrame[] = []
  let focusedBefore: Element | null = null
  let link: FrameLink | null = null
  let unlock: (() => void) | null = null
  const test = TEST.exec(location.hash)
  const view = createView(site, styles(site), {
    onPress: () => setOpen(!open),
    onClose: () => setOpen(false),
  })
  const sheet = matchMedia(SHEET)
  const viewport = window.visualViewport
  const { add, stopAll } = createStops()

  const page = () => path ?? location.pathname
  const place = () => ({ open, sheet: sheet.matches })

  function build(): void {
    if (built || destroyed) return
    built = true
    add(stayOnPage(view.element))
    add(listen(sheet, 'change', update))
    if (viewport) {
      add(listen(viewport, 'resize', fit))
      add(listen(viewport, 'scroll', fit))
    }
    add(
      watchAddress(() => {
        if (path === null) send({ type: 'page', page: page() })
      }),
    )
    view.name(locale, unread, unreadText)
    if (exists || test) whenIdle(load)
    emit('ready')
  }

  function load(): void {
    if ((link && !failed) || destroyed) return
    failed = false
    link = createFrameLink(site, {
      hello() {
        const logout = leaving
        leaving = false
        return { ...place(), page: page(), locale, logout, token, test: test?.[1] ?? null }
      },
      connected() {
        const queue = early
        early = []
        each(queue, send)
      },
      message: receive,
      silence() {
        failed = true
        view.fail(locale)
        emit('error', 'frame-unavailable')
      },
    })
    view.hold(link.element)
  }

  const send = (message: ToFrame) => link?.send(message) ?? false

  function receive(message: FromFrame): void {
    switch (message.type) {
      case 'ready':
        view.ready(message.title)
        // It may have been opened or closed meanwhile.
        send({ type: 'panel', ...place() })
        if (open) view.focusFrame()
        break
      case 'exists':
        exists = message.exists
        writeFlag(exists)
        break
      case 'unread':
        if (message.count !== unread) emit('unread', message.count)
        unread = message.count
        unreadText = message.text
        view.name(locale, unread, unreadText)
        break
      case 'close':
        setOpen(false)
        break
      case 'event':
        emit(message.name, message.name === 'error' ? message.code : undefined)
    }
  }

  function setOpen(wanted: boolean): void {
    if (wanted === open || destroyed) return
    build()
    open = wanted
    const { activeElement } = document
    if (open) {
      focusedBefore = activeElement === view.element ? null : activeElement
      load()
    }
    update()
    if (open) view.focusFrame()
    // Else the focus is on the page, and stays there.
    else if (activeElement === view.element) view.giveFocusBack(focusedBefore)
    emit(open ? 'open' : 'close')
  }

  /** Shows what is true now. */
  function update(): void {
    const asSheet = open && sheet.matches
    view.place(open, asSheet)
    if (asSheet && !unlock) unlock = lockScroll()
    else if (!asSheet && unlock) {
      unlock()
      unlock = null
    }
    fit()
    send({ type: 'panel', ...place() })
  }

  /** A sheet ends above the on-screen keyboard. A pinch zoom does not resize it. */
  function fit(): void {
    view.fit(unlock && viewport && viewport.scale < 1.01 ? viewport : null)
  }

  const widget: Widget = {
    setOpen,
    isOpen: () => open,
    setShown: view.setShown,
    send(message) {
      if (!send(message)) early[early.length] = message
    },
    setPage(given) {
      path = given
      send({ type: 'page', page: page() })
    },
    setLocale(given) {
      locale = given
      view.name(locale, unread, unreadText)
      send({ type: 'locale', locale })
    },
    identify(given) {
      token = given
      send({ type: 'identify', token })
    },
    logout() {
      token = null
      // What was said before is of another person.
      early = []
      leaving = !send({ type: 'logout' })
      if (exists) load()
    },
    destroy() {
      destroyed = true
      stopAll()
      if (unlock) unlock()
      link?.close()
      view.element.remove()
    },
  }
  attach(widget)
  add(whenParsed(() => whenIdle(build)))
}

function whenParsed(work: () => void): () => void {
  if (document.readyState === 'loading') return listen(document, 'DOMContentLoaded', work)
  work()
  return () => {}
}

function whenIdle(work: () => void): void {
  const run = () => guarded(work)()
  if (typeof requestIdleCallback === 'function') requestIdleCallback(run, { timeout: IDLE_TIMEOUT_MS })
  else setTimeout(run, 1)
}

function readFlag(): boolean {
  try {
    return localStorage.getItem(FLAG) !== null
  } catch {
    return false
  }
}

function writeFlag(exists: boolean): void {
  try {
    if (exists) localStorage.setItem(FLAG, '1')
    else localStorage.removeItem(FLAG)
  } catch {}
}
