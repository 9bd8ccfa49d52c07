// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type FormatKey, formatSelection, handleFormatKey } from './format-keys.ts'

let box: HTMLTextAreaElement
beforeEach(() => {
  box = document.createElement('textarea')
  document.body.replaceChildren(box)
})

/** Formats the text between the bars, and returns the text with bars around the selection. */
function formatted(text: string, key: FormatKey): string {
  const [before = '', selected = '', after = ''] = text.split('|')
  box.value = before + selected + after
  box.setSelectionRange(before.length, before.length + selected.length)
  formatSelection(box, key)
  const { value, selectionStart, selectionEnd } = box
  return `${value.slice(0, selectionStart)}|${value.slice(selectionStart, selectionEnd)}|${value.slice(selectionEnd)}`
}

describe('formatSelection', () => {
  it.each<[string, FormatKey, string]>([
    ['a |word| b', 'b', 'a **|word|** b'],
    ['a |word| b', 'i', 'a _|word|_ b'],
    ['a |word |b', 'b', 'a **|word|** b'],
    ['a **|word|** b', 'b', 'a |word| b'],
    ['a _|word|_ b', 'i', 'a |word| b'],
    ['a || b', 'b', 'a **||** b'],
    ['|one\n\n two|', 'b', '|**one**\n\n **two**|'],
    ['see |our page|.', 'k', 'see [our page](|https://|).'],
    ['|two\nlines|', 'k', '[two lines](|https://|)'],
  ])('turns %j with %s into %j', (text, key, expected) => expect(formatted(text, key)).toBe(expected))
})

describe('handleFormatKey', () => {
  const press = (key: string, more: object = {}) => {
    const event = { key, code: `Key${key.toUpperCase()}`, ctrlKey: true, metaKey: false, altKey: false }
    const preventDefault = vi.fn()
    handleFormatKey({ ...event, shiftKey: false, currentTarget: box, preventDefault, ...more })
    return preventDefault.mock.calls.length > 0
  }

  it('leaves K to the command menu without a selection, and other keys to the browser', () => {
    box.value = 'word'
    box.setSelectionRange(4, 4)
    expect(press('k')).toBe(false)
    expect(press('a')).toBe(false)
    expect(press('b', { ctrlKey: false })).toBe(false)
    expect(press('b', { shiftKey: true })).toBe(false)
    expect(box.value).toBe('word')
    box.select()
    expect(press('л', { code: 'KeyK' })).toBe(true)
    expect(box.value).toBe('[word](https://)')
  })
})
