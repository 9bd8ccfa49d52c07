import { type Block, type Inline, parseFormatted } from '@proctorpass/shared/formatted-text'
import { Fragment, type ReactNode } from 'react'
import './formatted-text.css'

export { withoutMarks } from '@proctorpass/shared/formatted-text'
export { keepInView } from './keep-in-view.ts'

interface FormattedTextProps {
  text: string
  /** How many characters are shown, without the marks. Null shows all. */
  length: number | null
  /** Renders the words between marks. The default shows them as they are. */
  words?: (text: string) => ReactNode
}

/** Shows a text with its marks' effect instead of its marks. The module is loaded with the first such text. */
export function FormattedText({ text, length, words }: FormattedTextProps) {
  const all = parseFormatted(text)
  const blocks = length === null ? all : beginning(all, length)
  const show = (parts: readonly Inline[]) => partsShown(parts, words)
  return (
    <div className="chat-text formatted" dir="auto">
      {blocks.map((block, place) => {
        const isLast = place === blocks.length - 1
        const more = length !== null && isLast && ' …'
        if (block.kind === 'text') {
          return (
            <p key={place}>
              {block.lines.map((line, at) => (
                <Fragment key={at}>
                  {show(line)}
                  {
                    // Before a list, an empty line is shown only if it has an end.
                    !(isLast && at === block.lines.length - 1) && '\n'
                  }
                </Fragment>
              ))}
              {more}
            </p>
          )
        }
        const items = block.items.map((item, at) => (
          <li key={at}>
            {show(item)}
            {at === block.items.length - 1 && more}
          </li>
        ))
        return block.first === null ? (
          <ul key={place}>{items}</ul>
        ) : (
          <ol key={place} start={block.first}>
            {items}
          </ol>
        )
      })}
    </div>
  )
}

function partsShown(parts: readonly Inline[], words: FormattedTextProps['words']): ReactNode {
  return parts.map((part, key) => {
    if (typeof part === 'string') return <Fragment key={key}>{words ? words(part) : part}</Fragment>
    if (part.kind === 'code') return <code key={key}>{words ? words(part.text) : part.text}</code>
    const children = partsShown(part.children, words)
    if (part.kind === 'bold') return <strong key={key}>{children}</strong>
    if (part.kind === 'italic') return <em key={key}>{children}</em>
    return (
      <a key={key} href={part.href} target="_blank" rel="noopener noreferrer nofollow ugc">
        {children}
      </a>
    )
  })
}

/** Returns the first characters of all lines. A link that is cut becomes plain text. */
function beginning(blocks: readonly Block[], length: number): Block[] {
  let left = length
  const take = (text: string) => {
    const taken = text.slice(0, left)
    left -= text.length
    return taken
  }
  const first = (parts: readonly Inline[]): Inline[] => {
    const shown: Inline[] = []
    for (const part of parts) {
      if (left <= 0) break
      if (typeof part === 'string') shown.push(take(part))
      else if (part.kind === 'code') shown.push({ kind: 'code', text: take(part.text) })
      else {
        const children = first(part.children)
        if (part.kind === 'link' && left < 0) shown.push(...children)
        else shown.push({ ...part, children })
      }
    }
    return shown
  }
  const lines = (all: readonly Inline[][]): Inline[][] => {
    const shown: Inline[][] = []
    for (const line of all) {
      if (left <= 0) break
      shown.push(first(line))
      // The line's end is a character too.
      left -= 1
    }
    return shown
  }
  const shown: Block[] = []
  for (const block of blocks) {
    if (left <= 0) break
    if (block.kind === 'text') shown.push({ kind: 'text', lines: lines(block.lines) })
    else shown.push({ ...block, items: lines(block.items) })
  }
  return shown
}
