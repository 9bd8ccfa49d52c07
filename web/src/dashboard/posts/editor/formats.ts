import { POST_COLORS, POST_FONTS, POST_SIZES, VIDEO_ORIGINS } from '@proctorpass/shared/post-format'
import Quill, { type Delta } from 'quill'
import type { BlockEmbed } from 'quill/blots/block.js'
import type Image from 'quill/formats/image.js'
import type Link from 'quill/formats/link.js'
import type { Description } from '../alt-text-field.tsx'

/** The formats of the toolbar; the editor accepts no others, pasted ones included. */
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

/** The formats of a selection; a list of values where its parts differ. */
export type SelectionFormats = Record<string, unknown>

export type InsertKind = 'link' | 'image' | 'video'

interface ClassFormat {
  whitelist: string[]
}

const color = Quill.import('attributors/class/color') as ClassFormat
const background = Quill.import('attributors/class/background') as ClassFormat
const font = Quill.import('attributors/class/font') as ClassFormat
const size = Quill.import('attributors/class/size') as ClassFormat
color.whitelist = [...POST_COLORS]
background.whitelist = [...POST_COLORS]
font.whitelist = [...POST_FONTS]
size.whitelist = [...POST_SIZES]

const LinkFormat = Quill.import('formats/link') as typeof Link
LinkFormat.PROTOCOL_WHITELIST = ['http', 'https', 'mailto', 'tel']

const ImageFormat = Quill.import('formats/image') as typeof Image
/** Marks a decorative image: an empty `alt` alone is one that is missing. */
const DECORATIVE = 'data-decorative'

/** Has `alt` also when it is empty: Quill would remove it. */
class EmbeddedImage extends ImageFormat {
  static override create(value: string): Element {
    // biome-ignore lint/complexity/noThisInStatic: it reads the fields of the class that it is called on
    const image = super.create(value)
    image.setAttribute('alt', '')
    return image
  }
  static override formats(image: Element): Record<string, string | null> {
    const mark = image.getAttribute(DECORATIVE)
    return { ...ImageFormat.formats(image), ...(mark === null ? {} : { [DECORATIVE]: mark }) }
  }
  override format(name: string, value: string): void {
    if (name === 'alt') this.domNode.setAttribute('alt', value ?? '')
    else if (name !== DECORATIVE) super.format(name, value)
    else if (value) this.domNode.setAttribute(name, value)
    else this.domNode.removeAttribute(name)
  }
}

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
    // A browser warns of this attribute beside `allow`, which means the same.
    frame.removeAttribute('allowfullscreen')
    frame.setAttribute('allow', 'fullscreen')
    return frame
  }
  static sanitize(url: string): string {
    return playerAddress(url) ?? 'about:blank'
  }
  /** The frame itself: Quill would write a link instead. */
  html(): string {
    return this.domNode.outerHTML
  }
}

/** An image of the text and its position there. */
export interface EditorImage extends Description {
  index: number
  src: string
}

export function imagesOf(quill: Quill): EditorImage[] {
  const images: EditorImage[] = []
  let index = 0
  for (const { insert = '', attributes = {} } of quill.getContents().ops) {
    if (typeof insert === 'object' && typeof insert.image === 'string') {
      const isDecorative = attributes[DECORATIVE] !== undefined
      images.push({ index, src: insert.image, alt: String(attributes.alt ?? ''), isDecorative })
    }
    index += typeof insert === 'string' ? insert.length : 1
  }
  return images
}

/** The formats of an image that describe it. */
export function descriptionFormats({ alt, isDecorative }: Description): Record<string, string | null> {
  return { alt: isDecorative ? null : alt, [DECORATIVE]: isDecorative ? 'true' : null }
}

Quill.register(
  {
    'formats/color': color,
    'formats/background': background,
    'formats/font': font,
    'formats/size': size,
    'formats/image': EmbeddedImage,
    'formats/video': EmbeddedVideo,
  } as unknown as Record<string, never>,
  true,
)

/**
 * Replaces the colors of pasted or imported text by the nearest names of the palette, which has a shade for each
 * theme; nearly black or white text gets the default color.
 */
export function withPaletteColors(delta: Delta): Delta {
  for (const { attributes = {} } of delta.ops) {
    for (const format of ['color', 'background']) {
      const value = attributes[format]
      if (typeof value === 'string') attributes[format] = colorName(value) ?? undefined
    }
  }
  return delta
}

/** The degree at which each hue begins, descending. */
const HUES: [from: number, name: (typeof POST_COLORS)[number]][] = [
  [335, 'red'],
  [255, 'violet'],
  [170, 'blue'],
  [75, 'green'],
  [45, 'yellow'],
  [18, 'orange'],
  [0, 'red'],
]

function colorName(value: string): string | null {
  if ((POST_COLORS as readonly string[]).includes(value)) return value
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

/** Red, green and blue of a CSS color; null for other text. */
function rgbOf(value: string): number[] | null {
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas || !CSS.supports('color', value)) return null
  canvas.fillStyle = value
  const [hex = ''] = /^#[0-9a-f]{6}$/.exec(canvas.fillStyle) ?? []
  return hex === '' ? null : [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** The player for the address of a video; null for hosts that posts may not embed. */
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

/** Completes the typed address of a link; null when it cannot be one. */
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
