import type { PublicConfig } from '@proctorpass/shared/schemas/config'

interface Channel {
  name: string
  /** As configured: a number, a name or an address. */
  text: string
  /** Null when no link can be made from the text. */
  href: string | null
}

/** The configured other ways to contact the business. */
export function channels({ whatsapp, discord, telegram }: PublicConfig['contacts']): Channel[] {
  const number = whatsapp.replace(/\D/g, '')
  const handle = telegram.replace(/^@/, '')
  return [
    { name: 'WhatsApp', text: whatsapp, href: address(whatsapp) ?? (number && `https://wa.me/${number}`) },
    { name: 'Discord', text: discord, href: address(discord) },
    {
      name: 'Telegram',
      text: telegram,
      href: address(telegram) ?? `https://t.me/${encodeURIComponent(handle)}`,
    },
  ]
    .filter(({ text }) => text.trim() !== '')
    .map((channel) => ({ ...channel, href: channel.href || null }))
}

function address(text: string): string | null {
  if (!/^https:\/\//i.test(text)) return null
  return URL.canParse(text) ? text : null
}
