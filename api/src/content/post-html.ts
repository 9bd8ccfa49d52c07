import { fieldError } from '@proctorpass/shared/errors'
import {
  POST_ALIGNMENTS,
  POST_COLOURS,
  POST_DIRECTION,
  POST_FONTS,
  POST_INDENT_MAX,
  POST_SIZES,
  VIDEO_ORIGINS,
} from '@proctorpass/shared/post-format'
import sanitizeHtml from 'sanitize-html'

/**
 * The HTML of a post as it is stored and shown: what the editor's toolbar can produce and nothing else, whatever was
 * sent. Links to other sites than `ownOrigin` do not vouch for them. What it answers stays the same when it goes through again. Throws AppError `too-large`.
 */
export function sanitisePostHtml(html: string, ownOrigin: string): string {
  if (html.split(ELEMENT_START, ELEMENTS_MAX + 2).length > ELEMENTS_MAX + 1) {
    throw fieldError('content', 'This post has too many elements.', { code: 'too-large' })
  }
  return sanitizeHtml(html, {
    ...OPTIONS,
    transformTags: { ...OPTIONS.transformTags, a: linkTo(ownOrigin) },
  })
}

/** Has it neither text nor picture nor video? An editor in which nobody wrote still holds an empty paragraph. */
export function isEmptyPost(sanitised: string): boolean {
  if (/<(?:img|iframe)\b/.test(sanitised)) return false
  const text = sanitizeHtml(sanitised, { allowedTags: [], allowedAttributes: {} })
  return text.replace(/[\s\u200b\u2060\ufeff]/g, '') === ''
}

/** A long post has some hundred. The time that nested ones take grows with their square. */
const ELEMENTS_MAX = 10_000
const ELEMENT_START = /<[a-z]/i

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const BLOCKS = ['p', 'blockquote', 'pre', 'ol', 'ul', 'li', 'div', ...HEADINGS]
const INLINE = ['br', 'strong', 'b', 'em', 'i', 'u', 's', 'strike', 'del', 'sub', 'sup', 'span', 'code', 'a']
const TABLE = ['table', 'thead', 'tbody', 'tr', 'td', 'th']
/** Their text is no text of the post, or a browser would read it by rules of its own. */
const DROPPED_WITH_CONTENT = [
  ...['script', 'style', 'textarea', 'option', 'select', 'xmp', 'title', 'noscript', 'noembed', 'noframes'],
  ...[
    'plaintext',
    'template',
    'svg',
    'math',
    'object',
    'embed',
    'applet',
    'audio',
    'video',
    'head',
    'button',
  ],
]

const indents = Array.from({ length: POST_INDENT_MAX }, (_, index) => index + 1)
const named = (kind: string, values: readonly (string | number)[]) =>
  values.map((value) => `ql-${kind}-${value}`)
const BLOCK_CLASSES = [
  ...named('align', POST_ALIGNMENTS),
  ...named('indent', indents),
  ...named('direction', [POST_DIRECTION]),
]
const TEXT_CLASSES = [
  ...named('color', POST_COLOURS),
  ...named('bg', POST_COLOURS),
  ...named('font', POST_FONTS),
  ...named('size', POST_SIZES),
]

/** A colour by name, number or share; no function that could load something. */
const COLOUR =
  /^(?:[a-z]{3,20}|#[0-9a-f]{3,8}|(?:rgb|hsl)a?\(\s*[\d.]{1,8}(?:deg)?%?(?:(?:\s*[,/]\s*|\s+)[\d.]{1,8}%?){2,3}\s*\))$/i
/** A number as people write it, without extensions and parameters. */
const PHONE = /^tel:\+?\d[\d().-]{1,23}$/i
const OWN_IMAGE = /^\/(?:uploads|images)(?:\/[\w-]+(?:\.[\w-]+)*)+$/
/** Paths of one video at VIDEO_ORIGINS: anything else there is none. */
const VIDEO_PATH = /^\/(?:embed\/[\w-]{1,64}|video\/\d{1,20})$/
const VIDEO_PARAMETER = /^(?:start|end|h|showinfo|rel)$/

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...BLOCKS, ...INLINE, ...TABLE, 'img', 'iframe'],
  nonTextTags: DROPPED_WITH_CONTENT,
  // What is nested deeper keeps its words: a list within a list counts two.
  nestingLimit: 20,
  allowedAttributes: {
    a: ['href', 'rel'],
    img: ['src', 'alt', 'width', 'height', 'loading', 'decoding'],
    iframe: ['class', 'src', 'title', 'sandbox', 'allow', 'referrerpolicy', 'loading'],
    li: [{ name: 'data-list', values: ['ordered', 'bullet', 'checked', 'unchecked'] }],
    div: [{ name: 'spellcheck', values: ['false'] }, 'data-language'],
    pre: [{ name: 'spellcheck', values: ['false'] }],
    span: ['style'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan'],
  },
  allowedClasses: {
    ...Object.fromEntries(BLOCKS.map((tag) => [tag, BLOCK_CLASSES])),
    ...Object.fromEntries(INLINE.filter((tag) => tag !== 'br').map((tag) => [tag, TEXT_CLASSES])),
    // Only to be known by the filter below.
    span: ['ql-ui', ...TEXT_CLASSES],
    div: ['ql-code-block-container', 'ql-code-block', ...BLOCK_CLASSES],
    pre: ['ql-syntax', ...BLOCK_CLASSES],
    iframe: ['ql-video', ...named('align', POST_ALIGNMENTS)],
  },
  allowedStyles: { span: { color: [COLOUR], 'background-color': [COLOUR] } },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  transformTags: {
    img: (tagName, { src, alt = '', width, height }) => ({
      tagName,
      attribs: {
        ...present({ src: ownImage(src), width: pixels(width), height: pixels(height) }),
        alt,
        loading: 'lazy',
        decoding: 'async',
      },
    }),
    iframe: (tagName, { src, class: classes = '' }) => ({
      tagName,
      // Whatever stood inside: a browser reads it by rules of its own.
      text: '',
      attribs: {
        ...present({ src: video(src) }),
        class: `ql-video ${classes.replaceAll('ql-video', '')}`.trim(),
        title: 'Video',
        sandbox: 'allow-scripts allow-same-origin allow-presentation',
        allow: 'fullscreen',
        referrerpolicy: 'strict-origin-when-cross-origin',
        loading: 'lazy',
      },
    }),
    div: (tagName, { 'data-language': language, ...rest }) => ({
      tagName,
      attribs: {
        ...rest,
        ...present({ 'data-language': /^[a-z0-9+#-]{1,30}$/.exec(language ?? '')?.[0] }),
      },
    }),
    td: spans,
    th: spans,
  },
  exclusiveFilter: ({ tag, attribs }) =>
    // The editor's own handles, and what has lost the address without which it is nothing.
    ((tag === 'img' || tag === 'iframe') && !attribs.src) || (tag === 'span' && attribs.class === 'ql-ui'),
}

const REL = 'noopener noreferrer nofollow ugc'

function linkTo(ownOrigin: string): sanitizeHtml.Transformer {
  return (tagName, { href, class: classes }) => {
    const target = safeHref(href)
    // Without an address it is text like any other.
    if (target === undefined) return { tagName: 'span', attribs: present({ class: classes }) }
    const isOwn = URL.parse(target, ownOrigin)?.origin === ownOrigin
    return { tagName, attribs: present({ href: target, class: classes, rel: isOwn ? undefined : REL }) }
  }
}

function spans(tagName: string, { colspan, rowspan }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const few = (value: string | undefined) => /^[1-9]\d?$/.exec(value ?? '')?.[0]
  return { tagName, attribs: present({ colspan: few(colspan), rowspan: few(rowspan) }) }
}

/** Only those that have a value. */
function present(attributes: Record<string, string | undefined>): sanitizeHtml.Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Of another site or of ours. The scheme is judged once more by the library. */
function safeHref(href: string | undefined): string | undefined {
  const plain = href?.trim()
  if (plain === undefined || /[\p{Cc}\\]/u.test(plain)) return undefined
  return /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/i.test(plain) || PHONE.test(plain) ? plain : undefined
}

function ownImage(src: string | undefined): string | undefined {
  return src !== undefined && OWN_IMAGE.test(src) ? src : undefined
}

function pixels(value: string | undefined): string | undefined {
  return /^[1-9]\d{0,4}$/.exec(value ?? '')?.[0]
}

/** The address of a player, written anew; undefined for everything else. */
function video(src: string | undefined): string | undefined {
  if (src === undefined || !/^https:\/\//.test(src) || !URL.canParse(src)) return undefined
  const url = new URL(src)
  const isKnown = VIDEO_ORIGINS.some((origin) => origin === url.origin) && VIDEO_PATH.test(url.pathname)
  if (!isKnown || url.username !== '' || url.password !== '') return undefined
  const kept = [...url.searchParams].filter(
    ([name, value]) => VIDEO_PARAMETER.test(name) && /^\w{1,64}$/.test(value),
  )
  const query = new URLSearchParams(kept).toString()
  return `${url.origin}${url.pathname}${query === '' ? '' : `?${query}`}`
}
