import type { LoaderSite } from '@proctorpass/shared/embed'
import { guarded } from './guard.ts'

/** The two languages of labels. Everything else is said by the frame. */
const WORDS = {
  en: { name: 'Live chat', close: 'Close', failed: "The chat couldn't be loaded." },
  zh: { name: '在线客服', close: '关闭', failed: '无法加载聊天。' },
}
const BUBBLE = 'M4 5h16v11H10l-4.5 4v-4H4z'
const CROSS = 'M6 6l12 12m0-12L6 18'
const SVG = 'http://www.w3.org/2000/svg'

/** The elements, in a shadow root that the page cannot enter. */
export function createView(
  { look }: LoaderSite,
  css: string,
  on: { onPress: () => void; onClose: () => void },
) {
  const element = document.createElement('div')
  const root = element.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]

  const make = <Name extends 'button' | 'div' | 'span'>(name: Name, className: string, parent: Node) => {
    const made = document.createElement(name)
    made.className = className
    parent.appendChild(made)
    return made
  }
  const icon = (parent: Node, path: string) => {
    const svg = document.createElementNS(SVG, 'svg')
    const line = document.createElementNS(SVG, 'path')
    svg.setAttribute('viewBox', '0 0 24 24')
    svg.setAttribute('aria-hidden', 'true')
    line.setAttribute('d', path)
    svg.appendChild(line)
    parent.appendChild(svg)
    return line
  }

  const launcher = make('button', 'launcher', root)
  launcher.type = 'button'
  const line = icon(launcher, BUBBLE)
  const label = make('span', '', launcher)
  const badge = make('span', 'badge', launcher)
  const panel = make('div', 'panel wait', root)
  const note = make('div', 'note', panel)
  const text = make('div', '', note)
  text.setAttribute('role', 'status')
  const cross = make('button', '', note)
  cross.type = 'button'
  icon(cross, CROSS)
  launcher.addEventListener('click', guarded(on.onPress))
  cross.addEventListener('click', guarded(on.onClose))
  root.addEventListener(
    'keydown',
    guarded((event: Event) => {
      if ((event as KeyboardEvent).key === 'Escape' && !panel.hidden) on.onClose()
    }),
  )

  let frame: HTMLIFrameElement | null = null
  let hidden = false
  let loaded = false

  const show = (part: HTMLElement, shown: boolean) => {
    part.hidden = !shown
  }
  const name = (element: Element, text: string) => element.setAttribute('aria-label', text)
  const wordsOf = (locale: string | null) => WORDS[isChinese(locale) ? 'zh' : 'en']

  function place(open: boolean, asSheet: boolean): void {
    show(panel, open)
    show(launcher, !hidden && !asSheet)
    panel.className = `panel${asSheet ? ' sheet' : ''}${loaded ? '' : ' wait'}`
    launcher.setAttribute('aria-expanded', String(open))
    line.setAttribute('d', open ? CROSS : BUBBLE)
  }
  place(false, false)

  return {
    element,
    place,
    setShown(shown: boolean): void {
      hidden = !shown
      show(launcher, shown && panel.className.indexOf('sheet') < 0)
    },
    /** What the launcher is called, for eyes and for screen readers. */
    name(locale: string | null, unread: number, unreadText: string): void {
      const words = wordsOf(locale)
      const own = look.label[isChinese(locale) ? 'zh' : 'en'] || look.label.en
      label.textContent = own
      show(label, own !== '')
      badge.textContent = unread > 99 ? '99+' : String(unread)
      show(badge, unread > 0)
      name(launcher, (own || words.name) + unreadText)
      name(cross, words.close)
    },
    hold(given: HTMLIFrameElement): void {
      frame?.remove()
      loaded = false
      text.textContent = ''
      frame = given
      frame.title = WORDS.en.name
      panel.appendChild(frame)
    },
    ready(title: string): void {
      loaded = true
      panel.classList.remove('wait')
      if (frame) frame.title = title
    },
    fail(locale: string | null): void {
      text.textContent = wordsOf(locale).failed
    },
    /** Null: what the style sheet says. */
    fit(viewport: VisualViewport | null): void {
      const { style } = panel
      style.top = viewport ? `${viewport.offsetTop}px` : ''
      style.height = viewport ? `${viewport.height}px` : ''
      style.bottom = viewport ? 'auto' : ''
    },
    focusFrame(): void {
      if (frame && loaded) frame.focus()
      else cross.focus()
    },
    giveFocusBack(before: Element | null): void {
      launcher.focus()
      // The element of the page that opened it.
      if (before && before !== document.body) (before as HTMLElement).focus()
    },
  }
}

function isChinese(locale: string | null): boolean {
  return (locale || navigator.language || '').toLowerCase().indexOf('zh') === 0
}
