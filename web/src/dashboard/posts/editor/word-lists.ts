/**
 * Converts lists that were pasted from Word. Each item is a paragraph with the style `mso-list: l0 level1`, and a style
 * sheet defines which levels have bullets. `styleAttribute` holds the elements' styles.
 */
export function convertWordLists(page: Document, styleAttribute: string): void {
  const bullets = bulletLevels(page.documentElement.innerHTML)
  let group: { list: HTMLElement; id: string; next: Element | null } | undefined
  for (const element of page.querySelectorAll(`[${styleAttribute}*="mso-list" i]`)) {
    const value = listValue(element.getAttribute(styleAttribute) ?? '')
    // The item's number or bullet is also there as text, but the list draws its own.
    if (/\bignore\b/i.test(value)) element.remove()
    const id = /\bl\d+/i.exec(value)?.[0].toLowerCase()
    if (id === undefined) continue
    const level = Number(/\blevel(\d+)/i.exec(value)?.[1] ?? 1)
    if (group === undefined || group.next !== element || group.id !== id) {
      group = { list: page.createElement('ul'), id, next: null }
      element.before(group.list)
    }
    const item = page.createElement('li')
    item.dataset.list = bullets.has(`${id}:level${level}`) ? 'bullet' : 'ordered'
    if (level > 1) item.className = `ql-indent-${level - 1}`
    while (element.firstChild) item.append(element.firstChild)
    group.list.append(item)
    group.next = element.nextElementSibling
    element.remove()
  }
}

/** Returns `l0:level1` for each level to which a style sheet in the page gives bullets. */
function bulletLevels(html: string): Set<string> {
  const levels = new Set<string>()
  for (const rule of html.split('@list ').slice(1)) {
    const [name = '', body = ''] = (rule.split('}', 1)[0] ?? '').split('{')
    if (/mso-level-number-format:\s*bullet/i.test(body)) levels.add(name.trim().toLowerCase())
  }
  return levels
}

/** Returns the value of `mso-list` in a style. */
function listValue(style: string): string {
  for (const declaration of style.split(';')) {
    const [name = '', value = ''] = declaration.split(':')
    if (name.trim().toLowerCase() === 'mso-list') return value
  }
  return ''
}
