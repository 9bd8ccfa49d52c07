import type english from '@proctorpass/shared/languages/en.json'
import type { Message, People } from '@proctorpass/shared/schemas/chat'
import type { LanguageTexts } from '../languages/languages.ts'
import { RESUME_DAYS } from './links.ts'
import { filled, type MailBlock, type MailBody, mailBody, type Quote } from './mail-body.ts'

/** The mail's words in a language file, without their part's name. */
type MailKey = keyof {
  [Key in keyof typeof english as Key extends `mail.${infer Name}` ? Name : never]: true
}

/** Code points of all words in a mail. */
const WORDS_MAX = 6_000

interface VisitorMail {
  language: LanguageTexts
  brand: string
  supportEmail: string
  publicUrl: string
  resumeUrl: string
  unsubscribeUrl: string
  /** Whether answers by mail are read. */
  isAnswerRead: boolean
  people: People
  /** The admins' messages in order. If they do not all fit, the newest ones are kept. */
  messages: readonly Pick<Message, 'senderId' | 'message' | 'attachments'>[]
  /** Whether `messages` already lacks earlier ones. */
  isCut: boolean
}

/**
 * Writes the mail with the admins' answers to a visitor who left, in the visitor's language. It contains nothing that
 * the visitor said, not even a name, because the address may belong to another person.
 */
export function visitorMail(mail: VisitorMail): MailBody & { subject: string } {
  const { brand, supportEmail, publicUrl } = mail
  const { tag, dir, texts } = mail.language
  const words = (name: MailKey) => String(texts[`mail.${name}`])
  const { blocks, isCut } = wordsOf(mail, words)
  const body: MailBlock[] = [
    { words: words('intro'), values: { brand } },
    isCut || mail.isCut ? { words: words('isCut') } : null,
    ...blocks,
    { label: words('continue'), url: mail.resumeUrl },
    { words: words('link'), values: { days: RESUME_DAYS } },
    mail.isAnswerRead ? { words: words('replies') } : { words: words('noReplies'), values: { supportEmail } },
    { words: words('reason'), values: { brand, site: publicUrl } },
    { label: words('unsubscribe'), url: mail.unsubscribeUrl },
  ]
  return {
    subject: filled({ words: words('subject'), values: { brand } }),
    ...mailBody(body, { lang: tag, dir }),
  }
}

/** Puts consecutive messages by the same admin under one heading. */
function wordsOf({ messages, people, brand }: VisitorMail, words: (name: MailKey) => string) {
  const blocks: { heading: { words: string; values: { name: string } }; quotes: Quote[] }[] = []
  let room = WORDS_MAX
  for (const { senderId, message, attachments = [] } of messages.toReversed()) {
    if (room <= 0) return { blocks, isCut: true }
    const characters = [...message]
    const shown = characters.length > room ? `${characters.slice(0, room).join('')}…` : message
    const files = attachments.map(({ name }) =>
      filled({ words: words('attached'), values: { file: name.replace(/\p{Cc}/gu, '') } }),
    )
    const quote = { message: shown, files }
    const name = people[senderId]?.name ?? brand
    const [next] = blocks
    if (next?.heading.values.name === name) next.quotes.unshift(quote)
    else blocks.unshift({ heading: { words: words('wrote'), values: { name } }, quotes: [quote] })
    room -= characters.length
  }
  return { blocks, isCut: room < 0 }
}
