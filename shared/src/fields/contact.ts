import { CONTACT_MESSAGE_MAX, CONTACT_TITLE_MAX, EMAIL_MAX, EMAIL_PATTERN } from '../limits.ts'
import { isLonger, lineProblem, textField, textProblem, trimmed, trimmedLines } from './text.ts'

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

/**
 * Creates the title's field. The title is one line, because it becomes a mail's subject. The home page words a missing
 * title differently.
 */
export function contactTitle(required: string) {
  return textField(
    required,
    (text) => lineProblem(text, CONTACT_TITLE_MAX),
    // Pasted direction overrides are invisible, so they are removed rather than a reason to refuse a visitor's message.
    (text) => trimmed(text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')),
  )
}

export const CONTACT_FIELDS = {
  email: textField('Email is required', (text) =>
    // The length is checked first, so that no longer text is matched against the pattern.
    isLonger(text, EMAIL_MAX) || !EMAIL.test(text) ? 'Enter a valid email address' : null,
  ),
  title: contactTitle('Title is required'),
  message: textField('Message is required', (text) => textProblem(text, CONTACT_MESSAGE_MAX), trimmedLines),
}
