import { POST_COLORS, POST_FONTS, POST_SIZES, videoAddress } from '@proctorpass/shared/post-format'
import Quill from 'quill'
import type { BlockEmbed } from 'quill/blots/block.js'
import type Image from 'quill/formats/image.js'
import type Link from 'quill/formats/link.js'
import type { Description } from '../alt-text-field.tsx'
import './embeds.ts'
import './table-blots.ts'
import { playerAddress } from './addresses.ts'
import { CELL } from './table-cells.ts'
import { imageAddress, uploadedImage } from './uploaded-images.ts'

/** The formats that the editor shows. It accepts no others, even when they are pasted. */
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
  'code',
  'soft-break',
  'left-out',
  'kept',
  CELL,
]

/** The formats of a selection. Where its parts differ, a format has a list of values. */
export type SelectionFormats = Record<string, unknown>

export type InsertKind = 'link' | 'image' | 'video' | 'table'

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
/** Marks a decorative image, because an empty `alt` alone means that the description is missing. */
const DECORATIVE = 'data-decorative'

/** Holds the image's name in the text, because its address is not known until it is uploaded. */
const VALUE = 'data-image'

/** The image keeps even an empty `alt`, which Quill would remove. Words stand in its place until it is uploaded. */
class EmbeddedImage extends ImageFormat {
  static override create(value: string): Element {
    const address = imageAddress(value)
    const image = document.createElement(address === null ? 'span' : 'img')
    image.setAttribute(VALUE, value)
    image.setAttribute('alt', '')
    if (address !== null) image.setAttribute('src', address)
    else {
      image.className = 'ql-uploading'
      image.contentEditable = 'false'
      image.textContent = `Uploading ${uploadedImage(value)?.name}…`
    }
    return image
  }
  static override value(image: Element): string | null {
    return image.getAttribute(VALUE) ?? image.getAttribute('src')
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

/** Shows one of the text's images once it is uploaded. */
export function showUploadedImage(quill: Quill, value: string): void {
  for (const blot of quill.scroll.descendants(EmbeddedImage)) {
    if (EmbeddedImage.value(blot.domNode as Element) !== value) continue
    const formats = EmbeddedImage.formats(blot.domNode as Element)
    const image = blot.replaceWith('image', value) as unknown as EmbeddedImage
    for (const [name, own] of Object.entries(formats)) if (own !== null) image.format(name, own)
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
    // Browsers warn about this attribute beside `allow`, which means the same.
    frame.removeAttribute('allowfullscreen')
    frame.setAttribute('allow', 'fullscreen')
    return frame
  }
  static sanitize(url: string): string {
    return videoAddress(url) === url ? url : (playerAddress(url) ?? 'about:blank')
  }
}

/** Returns an image's position in the text. Null if it is no longer there. */
export function indexOfImage(quill: Quill, value: string): number | null {
  let index = 0
  for (const { insert = '' } of quill.getContents().ops) {
    if (typeof insert === 'object' && insert.image === value) return index
    index += typeof insert === 'string' ? insert.length : 1
  }
  return null
}

/** An image in the text, and its position there. */
export interface EditorImage extends Description {
  index: number
  src: string
}

export function imagesOf(quill: Quill): EditorImage[] {
  const images: EditorImage[] = []
  let index = 0
  for (const { insert = '', attributes = {} } of quill.getContents().ops) {
    const src = typeof insert === 'object' && typeof insert.image === 'string' && imageAddress(insert.image)
    if (src) {
      const isDecorative = attributes[DECORATIVE] !== undefined
      images.push({ index, src, alt: String(attributes.alt ?? ''), isDecorative })
    }
    index += typeof insert === 'string' ? insert.length : 1
  }
  return images
}

/** Returns the formats that hold an image's description. */
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
