const MONOSPACE = /mono|menlo|monaco|consolas|courier|fixed|\bcode\b/i
const BLOCK = /^(?:div|p|li|tr|h[1-6]|pre|table|ul|ol)$/

/**
 * Converts what was copied from a code editor to code, so that its lines keep their indentation. Code editors either
 * use a monospaced font for everything or preserve white space. `styleAttribute` holds the elements' styles, and
 * `sheets` their style sheets.
 */
export function convertCode(page: Document, styleAttribute: string, sheets: string): void {
  const fonts = [
    ...sheets.matchAll(/font(?:-family)?:([^;}]*)/gi),
    ...[...page.body.querySelectorAll(`[${styleAttribute}]`)].flatMap((element) => [
      ...(element.getAttribute(styleAttribute) ?? '').matchAll(/font(?:-family)?:([^;]*)/gi),
    ]),
  ]
  const isAllCode =
    fonts.length > 0 && fonts.every(([, font = '']) => MONOSPACE.test(font)) && hasNoFormat(page.body)
  if (isAllCode) {
    replaceByCode(page, page.body)
    return
  }
  for (const element of page.body.querySelectorAll<HTMLElement>(`[${styleAttribute}*="white-space" i]`)) {
    const style = element.getAttribute(styleAttribute) ?? ''
    const isPre = /white-space(?:-collapse)?:\s*pre(?:serve)?\s*(?:;|!|$)/i.test(style)
    const isCode = isPre || (/white-space:\s*(?:pre-wrap|break-spaces)/i.test(style) && MONOSPACE.test(style))
    if (
      isCode &&
      BLOCK.test(element.localName) &&
      element.closest('pre, td, th') === null &&
      page.contains(element)
    ) {
      replaceByCode(page, element)
    }
  }
}

/** Returns whether the body has no list, table, link, image, or heading, because code has none. */
function hasNoFormat(body: HTMLElement): boolean {
  return body.querySelector('li, td, a[href], img, h1, h2, h3, h4, h5, h6') === null
}

/** Makes an element a code block. One line without indentation becomes inline code in the text around it. */
function replaceByCode(page: Document, element: HTMLElement): void {
  const text = codeOf(element)
  const isWord = !/^[ \t]|\n/.test(text)
  const code = page.createElement(isWord ? 'code' : 'pre')
  code.textContent = text
  if (element === page.body) element.replaceChildren(code)
  else element.replaceWith(code)
}

/** Returns the text, with a line for each block and each line break. */
export function codeOf(root: Node): string {
  const lines = ['']
  const add = (text: string) => {
    const [first = '', ...others] = text.split('\n')
    lines[lines.length - 1] += first
    lines.push(...others)
  }
  /** Whether the last line is complete, so that the next text begins another line. */
  let isComplete = false
  const visit = (node: Node): void => {
    const isText = node.nodeType === node.TEXT_NODE
    const name = node.nodeName.toLowerCase()
    if (isText) {
      const text = (node.nodeValue ?? '').replaceAll('\u00a0', ' ')
      if (text === '' || (/^\s*$/.test(text) && text.includes('\n') && isBetweenBlocks(node))) return
      if (isComplete) lines.push('')
      isComplete = false
      add(text)
      return
    }
    if (name === 'br') {
      if (isComplete) lines.push('')
      isComplete = true
      return
    }
    const isBlock = BLOCK.test(name)
    if (isBlock && !isComplete && lines.at(-1) !== '') isComplete = true
    const { length } = lines
    const before = isComplete
    for (const child of node.childNodes) visit(child)
    if (!isBlock || node === root) return
    // An empty block is an empty line.
    if (lines.length === length && before === isComplete && node.textContent === '') {
      if (isComplete) lines.push('')
    }
    isComplete = true
  }
  visit(root)
  const text = lines.join('\n')
  return text.replace(/^\n+/, '').trimEnd()
}

function isBetweenBlocks(node: Node): boolean {
  return [node.previousSibling, node.nextSibling].some(
    (other) => other && BLOCK.test(other.nodeName.toLowerCase()),
  )
}
