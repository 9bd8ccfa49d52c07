import { fieldError } from '@proctorpass/shared/errors'
import { trimmed } from '@proctorpass/shared/fields/text'
import { IMAGE_ALT_MAX } from '@proctorpass/shared/limits'
import {
  POST_ALIGNMENTS,
  POST_COLORS,
  POST_DIRECTION,
  POST_FONTS,
  POST_IMAGE,
  POST_INDENT_MAX,
  POST_SIZES,
  videoAddress,
} from '@proctorpass/shared/post-format'
import sanitizeHtml from 'sanitize-html'

export interface CleanPost {
  html: string
  /** Whether the post is empty, see `isEmptyPost`. */
  isEmpty: boolean
  /** The number of its words. */
  words: number
}

/** Sanitizes a post as `sanitizePostHtml` does, tells whether it is empty, and counts its words. */
export function cleanPost(html: string, ownOrigin: string): CleanPost {
  const clean = sanitizePostHtml(html, ownOrigin)
  return { html: clean, isEmpty: isEmptyPost(clean), words: wordsIn(clean) }
}

/**
 * Returns a post's HTML as it is stored and shown, which has only what the editor's toolbar can produce. Links to
 * origins other than `ownOrigin` get rel="nofollow". Idempotent. Throws an AppError `too-large`.
 * @see docs/decisions/0030-editor-trust.md
 */
export function sanitizePostHtml(html: string, ownOrigin: string): string {
  if (html.split(ELEMENT_START, ELEMENTS_MAX + 2).length > ELEMENTS_MAX + 1) {
    throw fieldError(
      'content',
      `The post has too many elements. The limit is ${ELEMENTS_MAX.toLocaleString('en')}.`,
      { code: 'too-large' },
    )
  }
  const clean = sanitizeHtml(html, {
    ...OPTIONS,
    transformTags: { ...OPTIONS.transformTags, a: linkTo(ownOrigin) },
  })
  // Forms send line breaks as CRLF, and a post that is sent again must not change by that.
  return clean.replace(/\r\n?/g, '\n')
}

/** Whether the post has no text, image, or video. An empty editor still sends an empty paragraph. */
export function isEmptyPost(sanitised: string): boolean {
  if (/<(?:img|iframe)\b/.test(sanitised)) return false
  const text = sanitizeHtml(sanitised, { allowedTags: [], allowedAttributes: {} })
  return trimmed(text) === ''
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** Counts words as readers of each script see them: Chinese and Thai have no spaces between theirs. */
function wordsIn(sanitised: string): number {
  const text = sanitised.replace(/<[^<>]*>/g, ' ').replace(/&#?\w{1,32};/g, '')
  let words = 0
  for (const { isWordLike } of segmenter.segment(text)) if (isWordLike) words += 1
  return words
}

/** A long post has a few hundred elements. Nested elements take quadratic time. */
const ELEMENTS_MAX = 10_000
const ELEMENT_START = /<[a-z]/i

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const BLOCKS = ['p', 'blockquote', 'pre', 'ol', 'ul', 'li', 'div', ...HEADINGS]
const INLINE = ['br', 'strong', 'b', 'em', 'i', 'u', 's', 'strike', 'del', 'sub', 'sup', 'span', 'code', 'a']
const TABLE = ['table', 'thead', 'tbody', 'tr', 'td', 'th']
/** The text of these elements does not belong to the post, or browsers parse it by special rules. */
const DROPPED_WITH_CONTENT = [
  'script',
  'style',
  'textarea',
  'option',
  'select',
  'xmp',
  'title',
  'noscript',
  'noembed',
  'noframes',
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
]

const indents = Array.from({ length: POST_INDENT_MAX }, (_, index) => index + 1)
const named = (kind: string, values: readonly (string | number)[]) =>
  values.map((value) => `ql-${kind}-${value}`)
const CELL_CLASSES = [...named('align', POST_ALIGNMENTS), ...named('direction', [POST_DIRECTION])]
const BLOCK_CLASSES = [...CELL_CLASSES, ...named('indent', indents)]
const TEXT_CLASSES = [
  ...named('color', POST_COLORS),
  ...named('bg', POST_COLORS),
  ...named('font', POST_FONTS),
  ...named('size', POST_SIZES),
]

/** A named, hexadecimal, rgb, or hsl color; no function that could load something. */
const COLOR =
  /^(?:[a-z]{3,20}|#[0-9a-f]{3,8}|(?:rgb|hsl)a?\(\s*[\d.]{1,8}(?:deg)?%?(?:(?:\s*[,/]\s*|\s+)[\d.]{1,8}%?){2,3}\s*\))$/i
/** A phone number without extensions and parameters. */
const PHONE = /^tel:\+?\d[\d().-]{1,23}$/i
const SCOPE = /^(?:col|row)(?:group)?$/

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...BLOCKS, ...INLINE, ...TABLE, 'img', 'iframe'],
  nonTextTags: DROPPED_WITH_CONTENT,
  // Deeper elements are unwrapped and keep their text. A list in a list counts two.
  nestingLimit: 20,
  allowedAttributes: {
    a: ['href', 'rel'],
    img: ['src', 'alt', 'data-decorative', 'width', 'height', 'loading', 'decoding'],
    iframe: ['class', 'src', 'title', 'sandbox', 'allow', 'referrerpolicy', 'loading'],
    li: [{ name: 'data-list', values: ['ordered', 'bullet', 'checked', 'unchecked'] }],
    div: [{ name: 'spellcheck', values: ['false'] }, 'data-language'],
    pre: [{ name: 'spellcheck', values: ['false'] }],
    span: ['style'],
    td: ['colspan', 'rowspan'],
    th: ['scope', 'colspan', 'rowspan'],
  },
  allowedClasses: {
    ...Object.fromEntries(BLOCKS.map((tag) => [tag, BLOCK_CLASSES])),
    ...Object.fromEntries(INLINE.filter((tag) => tag !== 'br').map((tag) => [tag, TEXT_CLASSES])),
    // The class ql-ui is allowed only so that exclusiveFilter sees it.
    span: ['ql-ui', ...TEXT_CLASSES],
    div: ['ql-code-block-container', 'ql-code-block', ...BLOCK_CLASSES],
    pre: ['ql-syntax', ...BLOCK_CLASSES],
    iframe: ['ql-video', ...named('align', POST_ALIGNMENTS)],
    td: CELL_CLASSES,
    th: CELL_CLASSES,
  },
  allowedStyles: { span: { color: [COLOR], 'background-color': [COLOR] } },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  transformTags: {
    img: (tagName, { src, alt, 'data-decorative': decorative, width, height }) => {
      const description = oneLine(alt)
      // An empty description alone may be a missing one, for which the editor asks.
      const isDecorative = description === '' && decorative !== undefined
      return {
        tagName,
        attribs: {
          ...present({ src: ownImage(src), width: pixels(width), height: pixels(height) }),
          alt: description,
          ...present({ 'data-decorative': isDecorative ? 'true' : undefined }),
          loading: 'lazy',
          decoding: 'async',
        },
      }
    },
    iframe: (tagName, { src, class: classes = '' }) => ({
      tagName,
      // Browsers parse an iframe's content by special rules.
      text: '',
      attribs: {
        ...present({ src: videoAddress(src) }),
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
    td: cell,
    th: cell,
  },
  exclusiveFilter: ({ tag, attribs }) =>
    // Removes the editor's UI elements, and images and videos without a valid src.
    ((tag === 'img' || tag === 'iframe') && !attribs.src) || (tag === 'span' && attribs.class === 'ql-ui'),
}

const REL = 'noopener noreferrer nofollow ugc'

function linkTo(ownOrigin: string): sanitizeHtml.Transformer {
  return (tagName, { href, class: classes }) => {
    const target = safeHref(href)
    // A link without a valid href becomes plain text.
    if (target === undefined) return { tagName: 'span', attribs: present({ class: classes }) }
    const isOwn = URL.parse(target, ownOrigin)?.origin === ownOrigin
    return { tagName, attribs: present({ href: target, class: classes, rel: isOwn ? undefined : REL }) }
  }
}

function cell(tagName: string, attributes: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { class: classes, scope, colspan, rowspan } = attributes
  const few = (value: string | undefined) => /^[1-9]\d?$/.exec(value ?? '')?.[0]
  const known = tagName === 'th' ? SCOPE.exec(scope?.toLowerCase() ?? '')?.[0] : undefined
  return {
    tagName,
    attribs: present({ class: classes, scope: known, colspan: few(colspan), rowspan: few(rowspan) }),
  }
}

/** Returns the attributes that have a value. */
function present(attributes: Record<string, string | undefined>): sanitizeHtml.Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** Returns an absolute or site-relative address; undefined for any other. The library checks the scheme again. */
function safeHref(href: string | undefined): string | undefined {
  const plain = href?.trim()
  if (plain === undefined || /[\p{Cc}\\]/u.test(plain)) return undefined
  return /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/i.test(plain) || PHONE.test(plain) ? plain : undefined
}

function ownImage(src: string | undefined): string | undefined {
  return src !== undefined && POST_IMAGE.test(src) ? src : undefined
}

/** Returns an image's description, without control characters and direction overrides, cut to its limit. */
function oneLine(alt = ''): string {
  const line = alt.replace(/[\u202a-\u202e\u2066-\u2069]|(?!\s)\p{Cc}/gu, '').replace(/\s+/g, ' ')
  return Array.from(line.trim()).slice(0, IMAGE_ALT_MAX).join('').trimEnd()
}

function pixels(value: string | undefined): string | undefined {
  return /^[1-9]\d{0,4}$/.exec(value ?? '')?.[0]
}
