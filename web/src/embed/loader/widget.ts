import type { LoaderSite } from '@proctorpass/shared/embed'
import type { FromFrame, ToFrame } from '../protocol.ts'
import type { Commands, Widget } from './commands.ts'
import { createFrameLink, type FrameLink } from './frame-link.ts'
import { each, guarded } from './guard.ts'
import { isHydrating, listen, stayOnPage, watchAddress, watchViewport } from './page-watch.ts'
import type { Panel } from './panel.ts'
import { createScrollLock } from './scroll-lock.ts'
import { SHEET } from './styles.ts'
import { createView } from './view.ts'

/** The key in the page's localStorage that says that this browser has a conversation. */
const FLAG = 'SupportChat'
/** If an address ends with this after its `#`, it comes from "Test this site". */
const TEST = /^#proctorpass-test=([\w-]+)$/
const IDLE_TIMEOUT_MS = 3_000
const POLL_MS = 50
/** How long the launcher waits until the page has loaded, and until React has hydrated it. */
const LOADING_MAX_MS = 5_000
const HYDRATION_MAX_MS = 10_000

/** Makes the launcher and the panel on a site's page. */
export function createWidget(site: LoaderSite, commands: Commands): void {
  let locale: string | null = null
  let path: string | null = null
  let token: string | null = null
  let leaving = false
  let failed = false
  let shown = true
  let open = false
  let built = false
  let destroyed = false
  let exists = readFlag()
  let unread = 0
  let unreadText = ''
  /** Messages that are sent once, when the frame is there. */
  let early: ToFrame[] = []
  let focusedBefore: Element | null = null
  let link: FrameLink | null = null
  /** Null before the first frame. */
  let panel: Panel | null = null
  const test = TEST.exec(location.hash)?.[1]
  const view = createView(site, () => setOpen(!open))
  const scroll = createScrollLock()
  const ending = new AbortController()

  const page = () => path ?? location.pathname
  const isNarrow = () => matchMedia(SHEET).matches
  const place = () => ({ open, sheet: isNarrow() })

  function build(): void {
    if (built || destroyed) return
    built = true
    const restart = () => {
      widget.destroy()
      createWidget(site, commands)
    }
    stayOnPage(view, { moved: () => scroll.set(), erased: restart }, ending.signal)
    view.name(locale, unread, unreadText)
    update()
    if (exists || test) whenIdle(load)
    commands.emit('ready')
  }

  /** Makes the panel, and adds the listeners that only a frame needs. */
  function makePanel(): Panel {
    listen(matchMedia(SHEET), 'change', update, ending.signal)
    watchViewport(fit, ending.signal)
    watchAddress(() => path === null && sendPage(), ending.signal)
    return view.makePanel(() => setOpen(false))
  }

  function load(): void {
    if ((link && !failed) || destroyed) return
    failed = false
    panel ??= makePanel()
    link = createFrameLink(site, test, {
      hello() {
        const logout = leaving
        leaving = false
        return { ...place(), page: page(), locale, logout, token, test: test ?? null }
      },
      connected() {
        const queue = early
        early = []
        each(queue, send)
      },
      message: receive,
      silence() {
        failed = true
        panel?.fail(locale)
        commands.emit('error', 'frame-unavailable')
      },
    })
    panel.hold(link.element, locale)
  }

  const send = (message: ToFrame) => link?.send(message) ?? false
  const sendPage = () => send({ type: 'page', page: page() })

  function receive(message: FromFrame): void {
    switch (message.type) {
      case 'ready':
        panel?.ready(message.title)
        // The panel may have been opened or closed in the meantime.
        send({ type: 'panel', ...place() })
        if (open) panel?.focus()
        break
      case 'exists':
        exists = message.exists
        writeFlag(exists)
        break
      case 'unread':
        if (message.count !== unread) commands.emit('unread', message.count)
        unread = message.count
        unreadText = message.text
        view.name(locale, unread, unreadText)
        break
      case 'close':
        setOpen(false)
        break
      case 'event':
        commands.emit(message.name, message.name === 'error' ? message.code : undefined)
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
    if (open) panel?.focus()
    // Otherwise the focus is on the page, and stays there.
    else if (activeElement === view.element) view.giveFocusBack(focusedBefore)
    commands.emit(open ? 'open' : 'close')
  }

  /** Renders the current state. */
  function update(): void {
    const asSheet = open && isNarrow()
    view.place(open, shown && !asSheet)
    panel?.place(open, asSheet)
    scroll.set(asSheet)
    fit()
    send({ type: 'panel', ...place() })
  }

  const fit = () => panel?.fit(scroll.isLocked())

  const widget: Widget = {
    setOpen,
    isOpen: () => open,
    setShown(given) {
      shown = given
      update()
    },
    send(message) {
      if (!send(message)) early[early.length] = message
    },
    setPage(given) {
      path = given
      sendPage()
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
      // The waiting messages belong to another person.
      early = []
      leaving = !send({ type: 'logout' })
      if (exists) load()
    },
    destroy() {
      destroyed = true
      ending.abort()
      scroll.set(false)
      link?.close()
      view.element.remove()
    },
  }
  commands.attach(widget)
  whenLoaded(() => whenIdle(build))
}

/**
 * Waits until the page has loaded and React has hydrated it. If React 18 finds the launcher in a document that it
 * hydrates, it throws the page away and renders it again, so the page's own scripts run first. If an image never loads,
 * the launcher comes after a few seconds anyway.
 */
function whenLoaded(work: () => void): void {
  let waited = 0
  const timer = setInterval(
    guarded(() => {
      waited += POLL_MS
      const most = isHydrating() ? HYDRATION_MAX_MS : document.readyState === 'complete' ? 0 : LOADING_MAX_MS
      if (waited < most) return
      clearInterval(timer)
      work()
    }),
    POLL_MS,
  )
}

function whenIdle(work: () => void): void {
  const run = guarded<unknown>(work)
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
