import type { Message } from './schemas/chat.ts'

/** Summarizes a message in one line: its text, or its first file and how many more there are. */
export function messageSummary(
  { message, attachments = [] }: Pick<Message, 'message' | 'attachments'>,
  photo = 'Photo',
): string {
  const [first, ...others] = attachments
  if (message !== '' || first === undefined) return message
  const name = first.width === undefined ? first.name : photo
  return others.length === 0 ? name : `${name} +${others.length}`
}
