import type { Message, People } from '@proctorpass/shared/schemas/chat'
import { RESUME_DAYS } from './links.ts'
import { filled, type MailBlock, type MailBody, mailBody } from './mail-body.ts'
import { type MailWords, mailLanguage } from './mail-words.ts'

/** Code points of all words in a mail. */
const WORDS_MAX = 6_000

interface VisitorMail {
  /** Of the visitor's browser. */
  locale: string | null
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
 * What admins answered a visitor who left, in the visitor's language. Nothing that the visitor said is in it, not even a
 * name: the address may be of another person.
 */
export async function visitorMail(mail: VisitorMail): Promise<MailBody & { subject: string }> {
  const { brand, supportEmail, publicUrl } = mail
  const { tag, words } = await mailLanguage(mail.locale)
  const { blocks, isCut } = wordsOf(mail, words)
  const body: MailBlock[] = [
    { words: words.intro, values: { brand } },
    isCut || mail.isCut ? { words: words.isCut } : null,
    ...blocks,
    { label: words.continue, url: mail.resumeUrl },
    { words: words.link, values: { days: RESUME_DAYS } },
    { words: words.noReplies, values: { supportEmail } },
    { words: words.reason, values: { brand, site: publicUrl } },
    { label: words.unsubscribe, url: mail.unsubscribeUrl },
  ]
  return {
    subject: filled({ words: words.subject, values: { brand } }),
    ...mailBody(body, { lang: tag, dir: words.dir }),
  }
}

function wordsOf({ messages, people, brand }: VisitorMail, words: MailWords) {
  const blocks: MailBlock[] = []
  let room = WORDS_MAX
  for (const { senderId, message, attachments = [] } of messages.toReversed()) {
    if (room <= 0) return { blocks, isCut: true }
    const characters = [...message]
    const shown = characters.length > room ? `${characters.slice(0, room).join('')}…` : message
    const files = attachments.map(({ name }) =>
      filled({ words: words.attached, values: { file: name.replace(/\p{Cc}/gu, '') } }),
    )
    const heading = { words: words.wrote, values: { name: people[senderId]?.name ?? brand } }
    blocks.unshift({ heading, quote: [...(shown === '' ? [] : [shown]), ...files].join('\n') })
    room -= characters.length
  }
  return { blocks, isCut: room < 0 }
}
