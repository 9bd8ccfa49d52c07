import { selectIn, typeInto } from './text-box.ts'

/** The marks around a selection, and where a new link's address is typed. */
const MARKS = { b: '**', i: '_' } as const
const ADDRESS = 'https://'

export type FormatKey = keyof typeof MARKS | 'k'

/** Formats the selection on Ctrl or Cmd with B, I, or K. K without a selection stays the command menu. */
export function handleFormatKey(event: {
  key: string
  code: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  currentTarget: HTMLTextAreaElement
  preventDefault: () => void
}): void {
  const { key, code, currentTarget: box } = event
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
  // For other alphabets, the key counts that has the letter on a Latin keyboard.
  const letter = /^\p{ASCII}$/u.test(key) ? key.toLowerCase() : code.slice(3).toLowerCase()
  if (letter !== 'b' && letter !== 'i' && letter !== 'k') return
  if (letter === 'k' && box.selectionStart === box.selectionEnd) return
  event.preventDefault()
  formatSelection(box, letter)
}

/** Puts marks around the selected words, or takes theirs away. Marks work within a line, so each line has its own. */
export function formatSelection(box: HTMLTextAreaElement, key: FormatKey): void {
  const { value } = box
  let start = box.selectionStart
  let end = box.selectionEnd
  // Marks work only directly beside words.
  while (start < end && /\s/.test(value.charAt(start))) start += 1
  while (end > start && /\s/.test(value.charAt(end - 1))) end -= 1
  const words = value.slice(start, end)
  box.setSelectionRange(start, end)
  if (key === 'k') {
    const line = words
      .split('\n')
      .map((each) => each.trim())
      .join(' ')
    typeInto(box, `[${line}](${ADDRESS})`, start)
    const at = start + line.length + 3
    selectIn(box, at, at + ADDRESS.length)
    return
  }
  const mark = MARKS[key]
  if (value.slice(0, start).endsWith(mark) && value.startsWith(mark, end)) {
    box.setSelectionRange(start - mark.length, end + mark.length)
    typeInto(box, words, start - mark.length)
    selectIn(box, start - mark.length, end - mark.length)
    return
  }
  const marked = words.replace(/\S[^\n]*\S|\S/g, `${mark}$&${mark}`) || mark + mark
  typeInto(box, marked, start)
  const inside = words.includes('\n') ? 0 : mark.length
  selectIn(box, start + inside, start + marked.length - inside)
}
