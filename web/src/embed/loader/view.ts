import type { LoaderSite } from '@proctorpass/shared/embed'
import { LAUNCHER_BUBBLE } from '@proctorpass/shared/launcher-bubble'
import { CROSS, make, makeIcon, name } from './elements.ts'
import { guarded } from './guard.ts'
import { createPanel } from './panel.ts'
import { styles } from './styles.ts'
import { inLanguage, wordsOf } from './words.ts'

export type View = ReturnType<typeof createView>

/** Makes the elements, in a shadow root that the page cannot enter. */
export function createView(site: LoaderSite, onPress: () => void) {
  const element = document.createElement('div')
  const root = element.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  root.adoptedStyleSheets = [sheet]

  const launcher = make('button', 'launcher', root)
  const line = makeIcon(launcher, LAUNCHER_BUBBLE)
  launcher.onclick = guarded(onPress)
  let label: HTMLElement | null = null
  let badge: HTMLElement | null = null

  /**
   * Undoes what a page does to its root element: a zoom, and a transform, under which `position: fixed` does not work.
   */
  function fit(): void {
    sheet.replaceSync(styles(site))
    if (getComputedStyle(document.documentElement).transform !== 'none') {
      element.popover = 'manual'
      element.showPopover()
    }
  }

  /** Makes the part once it has a text. The style sheet hides an empty part. */
  function write(part: HTMLElement | null, className: string, text: string): HTMLElement | null {
    const written = part || (text ? make('span', className, launcher) : null)
    if (written) written.textContent = text
    return written
  }

  return {
    element,
    place(open: boolean, shown: boolean): void {
      launcher.hidden = !shown
      launcher.setAttribute('aria-expanded', `${open}`)
      line.setAttribute('d', open ? CROSS : LAUNCHER_BUBBLE)
      fit()
    },
    fit,
    /** Returns false once `document.write` has removed the listeners. */
    isAlive: () => launcher.onclick !== null,
    makePanel: (onClose: () => void) => createPanel(root, onClose),
    /** Sets the launcher's name, both for eyes and for screen readers. */
    name(locale: string | null, unread: number, unreadText: string): void {
      const own = inLanguage(site.look.label, locale)
      label = write(label, '', own)
      badge = write(badge, 'badge', unread > 99 ? '99+' : `${unread || ''}`)
      name(launcher, (own || wordsOf(locale).name) + unreadText)
    },
    giveFocusBack(before: Element | null): void {
      launcher.focus()
      // This is the page's element that opened the panel.
      if (before && before !== document.body) (before as HTMLElement).focus()
    },
  }
}
