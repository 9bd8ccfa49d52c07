import { VIDEO_ORIGINS } from '@proctorpass/shared/post-format'

/**
 * Returns the player's address for a video, with the start time that the address has. Null for hosts that posts may not
 * embed.
 */
export function playerAddress(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol !== 'https:') return null
  const [youTube, vimeo] = VIDEO_ORIGINS
  const host = url.hostname.replace(/^(www|m)\./, '')
  const [first = '', second = '', third = ''] = url.pathname.split('/').filter(Boolean)
  if (host === 'youtu.be' || host === 'youtube.com' || host === 'youtube-nocookie.com') {
    const id = host === 'youtu.be' ? first : (url.searchParams.get('v') ?? second)
    if (!/^[\w-]{6,20}$/.test(id)) return null
    const start = seconds(url.searchParams.get('start') ?? url.searchParams.get('t') ?? fragmentTime(url))
    const end = seconds(url.searchParams.get('end') ?? '')
    const times = [...(start > 0 ? [`start=${start}`] : []), ...(end > 0 ? [`end=${end}`] : [])]
    return `${youTube}/embed/${id}${times.length > 0 ? `?${times.join('&')}` : ''}`
  }
  if (host === 'vimeo.com' || host === 'player.vimeo.com') {
    const isPlayer = host === 'player.vimeo.com'
    const id = isPlayer ? second : first
    if (!/^\d{3,15}$/.test(id)) return null
    // An unlisted video has a key.
    const key = url.searchParams.get('h') ?? (isPlayer ? third : second)
    const start = seconds(fragmentTime(url))
    const query = /^\w{1,64}$/.test(key) ? `?h=${key}` : ''
    return `${vimeo}/video/${id}${query}${start > 0 ? `#t=${start}s` : ''}`
  }
  return null
}

/** Returns the time in `#t=1m30s`. */
function fragmentTime({ hash }: URL): string {
  return new URLSearchParams(hash.slice(1)).get('t') ?? ''
}

/** Returns the seconds in `90`, `90s`, or `1h2m3s`, and 0 for other texts. */
function seconds(time: string): number {
  const [all, hours = 0, minutes = 0, rest = 0] =
    /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s?)?$/.exec(time) ?? []
  return all === undefined ? 0 : Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest)
}

/** Completes a link's typed address. Returns null if it cannot be an address. */
export function linkAddress(text: string): string | null {
  const address = text.trim()
  if (/^\/(?!\/)/.test(address) || /^#./.test(address)) return address
  if (/^(https?:\/\/|mailto:)\S+$/i.test(address) && URL.canParse(address)) return address
  if (/^[^\s@/:]+@[^\s@/:.]+(?:\.[^\s@/:.]+)+$/.test(address)) return `mailto:${address}`
  if (/^[\w-]+(\.[\w-]+)+([/?#]\S*)?$/.test(address)) return `https://${address}`
  const phone = address.replace(/^tel:/i, '').replace(/\s+/g, '-')
  if (/^\+?\d[\d().-]{4,23}$/.test(phone)) return `tel:${phone}`
  return null
}
