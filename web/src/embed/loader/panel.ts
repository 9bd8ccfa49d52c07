import { CROSS, make, makeIcon, name } from './elements.ts'
import { guarded } from './guard.ts'
import { wordsOf } from './words.ts'

export type Panel = ReturnType<typeof createPanel>

/** Makes the box around the frame. Until the frame shows something, the box has a button to close it. */
export function createPanel(root: ShadowRoot, onClose: () => void) {
  const panel = make('div', 'panel', root)
  const note = make('div', 'note', panel)
  const text = make('div', '', note)
  text.setAttribute('role', 'status')
  const cross = make('button', '', note)
  makeIcon(cross, CROSS)
  panel.hidden = true
  cross.onclick = guarded(onClose)
  root.addEventListener(
    'keydown',
    guarded((event: Event) => {
      if ((event as KeyboardEvent).key === 'Escape' && !panel.hidden) onClose()
    }),
  )

  let frame: HTMLIFrameElement | null = null
  let loaded = false

  return {
    place(open: boolean, asSheet: boolean): void {
      panel.hidden = !open
      panel.classList.toggle('sheet', asSheet)
    },
    hold(given: HTMLIFrameElement, locale: string | null): void {
      frame?.remove()
      loaded = false
      panel.classList.add('wait')
      text.textContent = ''
      name(cross, wordsOf(locale).close)
      frame = given
      frame.title = wordsOf(locale).name
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
    /** Ends a sheet above the on-screen keyboard. A pinch zoom does not resize the sheet. */
    fit(isSheet: boolean): void {
      const viewport = window.visualViewport as VisualViewport
      panel.style.cssText =
        isSheet && viewport.scale < 1.01
          ? `top:${viewport.offsetTop}px;height:${viewport.height}px;bottom:auto`
          : ''
    },
    focus(): void {
      if (frame && loaded) frame.focus()
      else cross.focus()
    },
  }
}
