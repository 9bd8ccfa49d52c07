import type { Page } from '@playwright/test'

/** Says which texts of the chat or its open dialog are cut off, covered, or outside of their control. */
export async function cutTexts(page: Page, textSize: string): Promise<string[]> {
  await page.evaluate(async (size) => {
    document.documentElement.style.fontSize = size
    // The panel lays itself out again, and scrolls to its end.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  }, textSize)
  return page.evaluate(findCutTexts)
}

/** Runs in the page. */
function findCutTexts(): string[] {
  const root = document.querySelector('dialog[open]') ?? document.querySelector('.chat-panel')
  if (!root) return ['There is no chat.']
  /** Visitors' and admins' names, which may be of any length, and are shortened. */
  const NAMES = 'bdi, [title]:not(.chat-time), .chat-team-names'
  /** What may lie over other parts. */
  const OVERLAYS = '.chat-menu, .chat-answer, .chat-new, .chat-launcher, dialog'
  const problems = new Set<string>()

  const isShown = (element: Element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
    for (let each: Element | null = element; each && each !== root; each = each.parentElement) {
      const { clipPath, width, height } = getComputedStyle(each)
      if (clipPath === 'inset(50%)' || (width === '1px' && height === '1px')) return false
    }
    return true
  }
  const nameOf = (element: Element) =>
    `${element.localName}${[...element.classList].map((name) => `.${name}`).join('')} in .${element.closest('[class]:not(:scope)')?.parentElement?.closest('[class]')?.classList[0]}`
  const report = (element: Element, text: string, what: string) =>
    problems.add(`${what}: “${text.trim()}” (${nameOf(element)})`)

  /** Where the part of a rectangle is that its ancestors show, and on which sides they cut it off for good. */
  const look = (element: Element, { left, right, top, bottom }: DOMRect) => {
    const seen = { left, right, top, bottom }
    const cut = { x: Math.max(-left, right - innerWidth), y: 0 }
    let scrolls = { x: false, y: false }
    for (let each: Element | null = element; each; each = each === root ? null : each.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(each)
      const box = each.getBoundingClientRect()
      if (overflowX !== 'visible') {
        if (/auto|scroll/.test(overflowX)) scrolls = { ...scrolls, x: true }
        if (!scrolls.x) cut.x = Math.max(cut.x, box.left - left, right - box.right)
        seen.left = Math.max(seen.left, box.left)
        seen.right = Math.min(seen.right, box.right)
      }
      if (overflowY !== 'visible') {
        if (/auto|scroll/.test(overflowY)) scrolls = { ...scrolls, y: true }
        if (!scrolls.y) cut.y = Math.max(cut.y, box.top - top, bottom - box.bottom)
        seen.top = Math.max(seen.top, box.top)
        seen.bottom = Math.min(seen.bottom, box.bottom)
      }
    }
    return { seen, cut }
  }

  const range = document.createRange()
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    const text = node.textContent ?? ''
    if (!element || text.trim() === '' || element.closest(`option, textarea, ${NAMES}`)) continue
    if (!isShown(element)) continue
    range.selectNodeContents(node)
    const control = element.closest('button, .button, label, summary, select')?.getBoundingClientRect()
    for (const rect of range.getClientRects()) {
      const { seen, cut } = look(element, rect)
      // A font's box is higher than its letters.
      const spare = (rect.height - Number.parseFloat(getComputedStyle(element).fontSize)) / 2
      if (cut.x > 1 || cut.y > spare + 1) report(element, text, 'cut off')
      if (control && (rect.left < control.left - 1 || rect.right > control.right + 1)) {
        report(element, text, 'outside of its control')
      }
      const [x, y] = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2]
      if (seen.right - seen.left < 2 || seen.bottom - seen.top < rect.height / 2) continue
      const above = document.elementFromPoint(x, y)
      const label = element.closest('label')
      if (
        above &&
        !above.contains(element) &&
        !(label ?? element).contains(above) &&
        !above.closest(OVERLAYS)
      ) {
        report(element, text, `covered by ${nameOf(above)}`)
      }
    }
  }

  const controls = [...root.querySelectorAll('button, a, input, select, textarea, summary')]
    .filter(isShown)
    .flatMap((element) => {
      const { seen } = look(element, element.getBoundingClientRect())
      return seen.right > seen.left && seen.bottom > seen.top ? [{ element, ...seen }] : []
    })
  for (const [at, one] of controls.entries()) {
    for (const other of controls.slice(at + 1)) {
      if (one.element.contains(other.element)) continue
      if (one.element.closest(OVERLAYS) !== other.element.closest(OVERLAYS)) continue
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
      if (width > 1 && height > 1) report(one.element, nameOf(other.element), 'overlaps')
    }
  }

  for (const field of root.querySelectorAll<HTMLTextAreaElement>('textarea[placeholder]')) {
    if (field.value !== '' || !isShown(field)) continue
    const style = getComputedStyle(field)
    const copy = document.createElement('p')
    const { whiteSpace, fontSize, lineHeight } = getComputedStyle(field, '::placeholder')
    const room = (axis: 'Left' | 'Top', end: 'Right' | 'Bottom') =>
      Number.parseFloat(style[`padding${axis}`]) + Number.parseFloat(style[`padding${end}`])
    const width = field.clientWidth - room('Left', 'Right')
    const font = { font: style.font, fontSize, whiteSpace, lineHeight }
    Object.assign(copy.style, { ...font, width: `${width}px`, position: 'fixed', left: '0' })
    copy.textContent = field.placeholder
    document.body.append(copy)
    if (copy.scrollWidth > width + 1 || copy.scrollHeight > field.clientHeight - room('Top', 'Bottom') + 1) {
      report(field, field.placeholder, 'cut off')
    }
    copy.remove()
  }
  return [...problems]
}
