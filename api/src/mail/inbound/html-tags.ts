import { Tokenizer } from 'htmlparser2'

const VOID = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'wbr'],
])
const CELLS = ['td', 'th', 'p']
const ROWS = [...CELLS, 'tr']
const ROW_GROUPS = [...ROWS, 'thead', 'tbody', 'tfoot', 'caption', 'colgroup']
/** The elements that end where another one begins inside them, because HTML's end tags are optional. */
const ENDED_BY = new Map([
  ...['address', 'article', 'aside', 'blockquote', 'center', 'dir', 'div', 'dl', 'fieldset'].map(
    endsParagraph,
  ),
  ...['footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hr', 'main', 'menu'].map(
    endsParagraph,
  ),
  ...['nav', 'ol', 'p', 'pre', 'section', 'table', 'ul'].map(endsParagraph),
  ...['td', 'th'].map((name) => [name, new Set(CELLS)] as const),
  ...['thead', 'tbody', 'tfoot'].map((name) => [name, new Set(ROW_GROUPS)] as const),
  ...['dt', 'dd'].map((name) => [name, new Set(['dt', 'dd', 'p'])] as const),
  ['tr', new Set(ROWS)],
  ['li', new Set(['li', 'p'])],
  ['a', new Set(['a'])],
  ['option', new Set(['option'])],
])

function endsParagraph(name: string): [string, Set<string>] {
  return [name, new Set(['p'])]
}

/** `State` is what `open` returned for the element. An element without an end tag ends with its parent. */
interface HtmlEvents<State> {
  open: (name: string, attributes: ReadonlyMap<string, string>) => State
  close: (name: string, state: State) => void
  text: (text: string) => void
}

/**
 * Reads HTML in linear time, even if it is deeply nested or broken. `Parser` of htmlparser2 inserts its open elements
 * at the beginning of an array, so its time grows with the square of their depth.
 */
export function readHtml<State>(html: string, events: HtmlEvents<State>): void {
  const open: { name: string; state: State }[] = []
  /** The number of open elements by name, so that an end tag without a beginning starts no search. */
  const counts = new Map<string, number>()
  let name = ''
  let attribute = ''
  let value = ''
  let attributes = new Map<string, string>()

  function closeLast(): void {
    const last = open.pop()
    if (last === undefined) return
    counts.set(last.name, (counts.get(last.name) ?? 1) - 1)
    events.close(last.name, last.state)
  }
  function begin(): void {
    const ends = ENDED_BY.get(name)
    while (ends?.has(open.at(-1)?.name ?? '')) closeLast()
    const state = events.open(name, attributes)
    if (VOID.has(name)) {
      events.close(name, state)
      return
    }
    open.push({ name, state })
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  function end(ended: string): void {
    if (!counts.get(ended)) return
    while (open.at(-1)?.name !== ended) closeLast()
    closeLast()
  }

  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname(start, to) {
        name = html.slice(start, to).toLowerCase()
        attributes = new Map()
      },
      onattribname(start, to) {
        attribute = html.slice(start, to).toLowerCase()
        value = ''
      },
      onattribdata(start, to) {
        value += html.slice(start, to)
      },
      onattribentity(codePoint) {
        value += String.fromCodePoint(codePoint)
      },
      onattribend() {
        if (!attributes.has(attribute)) attributes.set(attribute, value)
      },
      onopentagend: begin,
      onselfclosingtag: begin,
      onclosetag: (start, to) => end(html.slice(start, to).toLowerCase()),
      ontext: (start, to) => events.text(html.slice(start, to)),
      ontextentity: (codePoint) => events.text(String.fromCodePoint(codePoint)),
      ...{ oncdata: ignore, oncomment: ignore, ondeclaration: ignore, onprocessinginstruction: ignore },
      onend: ignore,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  while (open.length > 0) closeLast()
}
