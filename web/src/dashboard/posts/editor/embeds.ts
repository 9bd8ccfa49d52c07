import Quill, { Delta } from 'quill'
import type { BlockEmbed as BlockEmbedBlot } from 'quill/blots/block.js'
import type BreakBlot from 'quill/blots/break.js'
import type EmbedBlot from 'quill/blots/embed.js'
import { htmlToParse } from '../../../lib/trusted-html.ts'

const BlockEmbed = Quill.import('blots/block/embed') as typeof BlockEmbedBlot
const Embed = Quill.import('blots/embed') as typeof EmbedBlot
const Break = Quill.import('blots/break') as typeof BreakBlot
const Leaf = Object.getPrototypeOf(Embed) as typeof EmbedBlot

/** A line break inside a paragraph or a cell. */
class SoftBreak extends Leaf {
  static override blotName = 'soft-break'
  static override className = 'ql-soft-break'
  static override tagName = 'BR'

  /** A browser shows a line's last break only if another one follows. */
  override optimize(context: Record<string, unknown>): void {
    super.optimize(context)
    if (this.next === null) this.parent.appendChild(this.scroll.create('break'))
  }
}

/** Quill's placeholder for an empty line. */
class LineEnd extends Break {
  override optimize(): void {
    if (this.next || (this.prev && !(this.prev instanceof SoftBreak))) this.remove()
  }
}

/** Shows where something could not be pasted, and why. It is not part of the post. */
class LeftOut extends Embed {
  static override blotName = 'left-out'
  static override className = 'ql-left-out'
  static override tagName = 'SPAN'

  static override create(value: unknown): HTMLElement {
    // biome-ignore lint/complexity/noThisInStatic: it reads the fields of the class that it is called on
    const node = super.create(value) as HTMLElement
    node.dataset.reason = String(value)
    node.textContent = String(value)
    return node
  }

  static override value(node: HTMLElement): string | null {
    return node.dataset.reason ?? null
  }
}

/** HTML that the editor cannot show and keeps unchanged. It is text here and never parsed into the page. */
class Kept extends BlockEmbed {
  static override blotName = 'kept'
  static override className = 'ql-kept'
  static override tagName = 'DIV'

  static override create(value: unknown): HTMLElement {
    // biome-ignore lint/complexity/noThisInStatic: it reads the fields of the class that it is called on
    const node = super.create(value) as HTMLElement
    node.dataset.html = String(value)
    node.contentEditable = 'false'
    node.setAttribute('role', 'group')
    node.setAttribute('aria-label', 'Kept block')
    const heading = document.createElement('strong')
    heading.textContent = 'Kept block'
    const words = document.createElement('p')
    words.textContent = 'The editor can’t show this part. It stays as it is.'
    const excerpt = document.createElement('p')
    excerpt.className = 'ql-kept-text'
    excerpt.textContent = excerptOf(String(value))
    node.append(heading, words, excerpt)
    for (const [label] of MOVES) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = label
      node.append(button)
    }
    return node
  }

  static override value(node: HTMLElement): string | null {
    return node.dataset.html ?? null
  }

  constructor(...[scroll, node]: ConstructorParameters<typeof BlockEmbedBlot>) {
    super(scroll, node)
    node.addEventListener('click', ({ target }) => {
      const label = target instanceof HTMLButtonElement ? target.textContent : null
      const move = MOVES.find(([name]) => name === label)?.[1]
      const container = scroll.domNode.parentElement
      const quill = container && Quill.find(container)
      if (move && quill instanceof Quill) move(quill, this)
    })
  }
}

const MOVES: [label: string, move: (quill: Quill, block: Kept) => void][] = [
  ['Move up', (quill, block) => move(quill, block, block.prev, 'Move up')],
  ['Move down', (quill, block) => move(quill, block, block.next, 'Move down')],
  [
    'Delete',
    (quill, block) => {
      const index = quill.getIndex(block)
      quill.deleteText(index, 1, 'user')
      quill.setSelection(index, 0, 'user')
    },
  ],
]

/** Moves a block over its neighbor, which is a paragraph, or a whole list or table. The focus moves along. */
function move(quill: Quill, block: Kept, neighbor: Kept['prev'], label: string): void {
  if (!neighbor) return
  const at = quill.getIndex(block)
  const length = neighbor.length()
  const insert = block.value()
  const isUp = neighbor === block.prev
  const change = isUp
    ? new Delta()
        .retain(at - length)
        .insert(insert)
        .retain(length)
        .delete(1)
    : new Delta().retain(at).delete(1).retain(length).insert(insert)
  quill.history.cutoff()
  quill.updateContents(change, 'user')
  const [moved] = quill.getLine(isUp ? at - length : at + length)
  const buttons = (moved?.domNode as HTMLElement | undefined)?.querySelectorAll('button') ?? []
  for (const button of buttons) if (button.textContent === label) button.focus()
}

const EXCERPT_MAX = 200

function excerptOf(html: string): string {
  // A space keeps the words of two elements apart.
  const spaced = html.replaceAll('<', ' <')
  const { body } = new DOMParser().parseFromString(htmlToParse(spaced), 'text/html')
  const text = Array.from((body.textContent ?? '').replace(/\s+/g, ' ').trim())
  return text.length > EXCERPT_MAX ? `${text.slice(0, EXCERPT_MAX).join('')}…` : text.join('')
}

Quill.register(
  {
    'formats/soft-break': SoftBreak,
    'formats/left-out': LeftOut,
    'formats/kept': Kept,
    'blots/break': LineEnd,
  } as unknown as Record<string, never>,
  true,
)
