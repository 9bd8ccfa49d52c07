const NO_TEXT = ['button', 'checkbox', 'radio', 'submit', 'reset', 'file', 'range']

/** Whether keys typed here belong to a field, so that they are no shortcuts. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !NO_TEXT.includes(target.type)
  return target.isContentEditable || target.matches('textarea, select')
}
