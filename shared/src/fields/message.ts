import { MESSAGE_MAX } from '../limits.ts'
import { isLonger, isStorable, textField, withoutEmptyEnds } from './text.ts'

/** A chat message. Its line breaks stay as they were sent, because a retry must be the same text. */
export const MESSAGE_FIELD = textField(
  'Message is required',
  (text) => {
    if (isLonger(text, MESSAGE_MAX)) {
      return `A message can have up to ${MESSAGE_MAX.toLocaleString('en')} characters.`
    }
    return isStorable(text) ? null : "This message contains characters that can't be sent. Type it again."
  },
  withoutEmptyEnds,
)
