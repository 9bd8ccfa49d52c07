/**
 * The formats of a post besides plain elements: the editor makes them, the sanitizer allows them. All are classes of
 * the form `ql-{kind}-{value}`, because the Content-Security-Policy refuses style attributes.
 */

/** `ql-color-{name}` and `ql-bg-{name}`; each theme has its own shade of a name. */
export const POST_COLORS = ['grey', 'red', 'orange', 'yellow', 'green', 'blue', 'violet'] as const
/** `ql-font-{name}`; without one the text has the page's font. */
export const POST_FONTS = ['serif', 'monospace'] as const
/** `ql-size-{name}`. */
export const POST_SIZES = ['small', 'large', 'huge'] as const
/** `ql-align-{name}`; without one the text is left-aligned. */
export const POST_ALIGNMENTS = ['center', 'right', 'justify'] as const
/** `ql-indent-1` to this. */
export const POST_INDENT_MAX = 8
/** `ql-direction-rtl`. */
export const POST_DIRECTION = 'rtl'

/**
 * Origins of the players that a post may embed, in `<iframe class="ql-video" src="{origin}/…">`. The editor uses the
 * first two; Quill itself makes the third.
 */
export const VIDEO_ORIGINS = [
  'https://www.youtube-nocookie.com',
  'https://player.vimeo.com',
  'https://www.youtube.com',
] as const

/** An upload or an image of the site: posts show no others. */
export const POST_IMAGE = /^\/(?:uploads|images)(?:\/[\w-]+(?:\.[\w-]+)*)+$/

/** Paths of a single video's player at VIDEO_ORIGINS. */
const VIDEO_PATH = /^\/(?:embed\/[\w-]{1,64}|video\/\d{1,20})$/
/** `h` opens an unlisted video of Vimeo. */
const VIDEO_PARAMETER = /^(?:start|end|h|showinfo|rel)$/
/** The fragment that says where a Vimeo video starts. */
const VIDEO_START = /^#t=(?:\d{1,5}[hms]?){1,3}$/

/** The normalized URL of a video's player that a post may embed; undefined for any other URL. */
export function videoAddress(src: string | undefined): string | undefined {
  if (src === undefined || !/^https:\/\//.test(src) || !URL.canParse(src)) return undefined
  const { origin, pathname, username, password, searchParams, hash } = new URL(src)
  if (!VIDEO_ORIGINS.some((known) => known === origin) || !VIDEO_PATH.test(pathname)) return undefined
  if (username !== '' || password !== '') return undefined
  const parameters = [...searchParams].filter(
    ([name, value]) => VIDEO_PARAMETER.test(name) && /^\w{1,64}$/.test(value),
  )
  const query = new URLSearchParams(parameters).toString()
  const start = VIDEO_START.test(hash) ? hash : ''
  return `${origin}${pathname}${query === '' ? '' : `?${query}`}${start}`
}
