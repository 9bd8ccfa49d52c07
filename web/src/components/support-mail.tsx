import { useSiteConfig } from '../lib/site-config.ts'

export function SupportMail() {
  const { supportEmail } = useSiteConfig()
  return <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
}
