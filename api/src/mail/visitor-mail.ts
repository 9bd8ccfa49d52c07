import type { Message, People } from '@proctorpass/shared/schemas/chat'
import { RESUME_DAYS } from './links.ts'
import { type MailBlock, type MailBody, mailBody } from './mail-body.ts'

/** Code points of all words in a mail. */
const WORDS_MAX = 6_000

interface VisitorMail {
  brand: string
  supportEmail: string
  publicUrl: string
  resumeUrl: string
  unsubscribeUrl: string
  people: People
  /** Of admins, in order; the newest ones have room before older ones. */
  messages: readonly Pick<Message, 'senderId' | 'message' | 'attachments'>[]
  /** Earlier ones are left out of `messages`. */
  isCut: boolean
}

/**
 * What admins answered a visitor who left. Nothing that the visitor said is in it, not even a name: the address may be of
 * another person.
 */
export function visitorMail(mail: VisitorMail): MailBody & { subject: string } {
  const { brand, supportEmail, publicUrl, people, messages } = mail
  const { blocks, isCut } = wordsOf(messages, people, brand)
  return {
    subject: `${brand}: new reply in your conversation`,
    ...mailBody([
      `There is a new reply in your conversation with ${brand}.`,
      isCut || mail.isCut ? 'This email has only the end of it. The link below opens all of it.' : null,
      ...blocks,
      { label: 'Continue this conversation', url: mail.resumeUrl },
      `The link works for ${RESUME_DAYS} days. It opens the conversation for anyone who has it, so don't forward this email.`,
      `Replies to this email are not read. You can also write to ${supportEmail}.`,
      `You get this email because your address was given in the live chat of ${brand} at ${publicUrl}.`,
      { label: 'Unsubscribe', url: mail.unsubscribeUrl },
    ]),
  }
}

function wordsOf(messages: VisitorMail['messages'], people: People, brand: string) {
  const blocks: MailBlock[] = []
  let room = WORDS_MAX
  for (const { senderId, message, attachments = [] } of messages.toReversed()) {
    if (room <= 0) return { blocks, isCut: true }
    const characters = [...message]
    const words = characters.length > room ? `${characters.slice(0, room).join('')}…` : message
    const files = attachments.map(({ name }) => `Attached: ${name.replace(/\p{Cc}/gu, '')}`)
    const heading = `${people[senderId]?.name ?? brand} wrote:`
    blocks.unshift({ heading, words: [...(words === '' ? [] : [words]), ...files].join('\n') })
    room -= characters.length
  }
  return { blocks, isCut: room < 0 }
}
