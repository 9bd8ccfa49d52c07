/** Replaces the text from `from` to the end of the selection as if it were typed, so that it can be undone. */
export function typeInto(box: HTMLTextAreaElement, text: string, from = box.selectionStart): void {
  const to = box.selectionEnd
  box.focus({ preventScroll: true })
  box.setSelectionRange(from, to)
  if (document.execCommand?.('insertText', false, text)) return
  box.setRangeText(text, from, to, 'end')
  box.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

/** Selects a part of the text and scrolls it into view. */
export function selectIn(box: HTMLTextAreaElement, start: number, end: number): void {
  if (box.scrollHeight > box.clientHeight) {
    // When the box gets the focus, browsers scroll to a caret, but not to a selection that a script sets.
    box.setSelectionRange(end, end)
    box.blur()
  }
  box.focus()
  box.setSelectionRange(start, end)
}
