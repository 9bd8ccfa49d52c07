import { POST_COLOURS, POST_FONTS, POST_SIZES, VIDEO_ORIGINS } from '@proctorpass/shared/post-format'
import Quill, { type Delta } from 'quill'
import type { BlockEmbed } from 'quill/blots/block.js'
import type Link from 'quill/formats/link.js'

/** What the toolbar gives; nothing else gets in, by pasting either. */
export const FORMATS = [
  'bold',
  'italic',
  'underline',
  'strike',
  'blockquote',
  'code-block',
  'list',
  'script',
  'indent',
  'direction',
  'size',
  'header',
  'color',
  'background',
  'font',
  'link',
  'image',
  'video',
  'align',
]

interface ClassFormat {
  whitelist: string[]
}

const colour = Quill.import('attributors/class/color') as ClassFormat
const background = Quill.import('attributors/class/background') as ClassFormat
const font = Quill.import('attributors/class/font') as ClassFormat
const size = Quill.import('attributors/class/size') as ClassFormat
colour.whitelist = [...POST_COLOURS]
background.whitelist = [...POST_COLOURS]
font.whitelist = [...POST_FONTS]
size.whitelist = [...POST_SIZES]

const LinkFormat = Quill.import('formats/link') as typeof Link
LinkFormat.PROTOCOL_WHITELIST = ['http', 'https', 'mailto', 'tel']

const VideoFormat = Quill.import('formats/video') as unknown as {
  new (...rest: ConstructorParameters<typeof BlockEmbed>): BlockEmbed
  create: (value: unknown) => HTMLIFrameElement
}

class EmbeddedVideo extends VideoFormat {
  static override create(value: unknown): HTMLIFrameElement {
    // biome-ignore lint/complexity/noThisInStatic: it reads the fields of the class that it is called on
    const frame = super.create(value)
    frame.setAttribute('title', 'Video')
    frame.setAttribute('loading', 'lazy')
    frame.setAttribute('referrerpolicy', 'strict-origin-when-cross-origin')
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-presentation')
    // Says the same as the next, and a browser complains of both.
    frame.removeAttribute('allowfullscreen')
    frame.setAttribute('allow', 'fullscreen')
    return frame
  }
  static sanitize(url: string): string {
    return playerAddress(url) ?? 'about:blank'
  }
  /** As it stands: Quill would write a link in its place. */
  html(): string {
    return this.domNode.outerHTML
  }
}

Quill.register(
  {
    'formats/color': colour,
    'formats/background': background,
    'formats/font': font,
    'formats/size': size,
    'formats/video': EmbeddedVideo,
  } as unknown as Record<string, never>,
  true,
)

/**
 * A post that was not written here may carry colours of its own. The palette has a shade for each theme, so they
 * become the names that they come nearest to; what is all but black or white has none and stays plain.
 */
export function withPaletteColours(delta: Delta): Delta {
  for (const { attributes = {} } of delta.ops) {
    for (const format of ['color', 'background']) {
      const value = attributes[format]
      if (typeof value === 'string') attributes[format] = nameOfColour(value) ?? undefined
    }
  }
  return delta
}

/** Degrees at which a hue begins; below the first it is red again. */
const HUES: [from: number, name: (typeof POST_COLOURS)[number]][] = [
  [335, 'red'],
  [255, 'violet'],
  [170, 'blue'],
  [75, 'green'],
  [45, 'yellow'],
  [18, 'orange'],
  [0, 'red'],
]

function nameOfColour(value: string): string | null {
  if ((POST_COLOURS as readonly string[]).includes(value)) return value
  const [red = 0, green = 0, blue = 0] = rgbOf(value) ?? []
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  const range = most - least
  if (range < 40) return most < 70 || least > 225 ? null : 'grey'
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4
  const hue = (sixth * 60 + 360) % 360
  return HUES.find(([from]) => hue >= from)?.[1] ?? null
}

/** Red, green and blue as the browser understands a colour; null when it is none. */
function rgbOf(value: string): number[] | null {
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas || !CSS.supports('color', value)) return null
  canvas.fillStyle = value
  const [hex = ''] = /^#[0-9a-f]{6}$/.exec(canvas.fillStyle) ?? []
  return hex === '' ? null : [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** The player of a video's page or player; null when it is at no host that posts may embed. */
export function playerAddress(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol !== 'https:') return null
  const [youTube, vimeo] = VIDEO_ORIGINS
  const host = url.hostname.replace(/^(www|m)\./, '')
  const [first = '', second = ''] = url.pathname.split('/').filter(Boolean)
  if (host === 'youtu.be' || host === 'youtube.com' || host === 'youtube-nocookie.com') {
    const id = host === 'youtu.be' ? first : (url.searchParams.get('v') ?? second)
    return /^[\w-]{6,20}$/.test(id) ? `${youTube}/embed/${id}` : null
  }
  if (host === 'vimeo.com' || host === 'player.vimeo.com') {
    const id = host === 'vimeo.com' ? first : second
    return /^\d{3,15}$/.test(id) ? `${vimeo}/video/${id}` : null
  }
  return null
}

/** The address of a link as it was meant; null when it can be none. */
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
