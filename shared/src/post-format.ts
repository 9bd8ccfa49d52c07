/**
 * The formats that a post has besides plain elements. The editor makes them, and the sanitizer allows them. All are
 * classes named `ql-{kind}-{value}`, because the Content-Security-Policy refuses style attributes.
 */

/** The names in `ql-color-{name}` and `ql-bg-{name}`. Each theme has its own shade for a name. */
export const POST_COLORS = ['grey', 'red', 'orange', 'yellow', 'green', 'blue', 'violet'] as const
/** The names in `ql-font-{name}`. Without the class, the text has the page's font. */
export const POST_FONTS = ['serif', 'monospace'] as const
/** The names in `ql-size-{name}`. */
export const POST_SIZES = ['small', 'large', 'huge'] as const
/** The names in `ql-align-{name}`. Without the class, the text is left-aligned. */
export const POST_ALIGNMENTS = ['center', 'right', 'justify'] as const
/** The highest number in `ql-indent-{number}`, which starts at 1. */
export const POST_INDENT_MAX = 8
/** The name in `ql-direction-{name}`. */
export const POST_DIRECTION = 'rtl'

/**
 * The origins whose players a post may embed, in `<iframe class="ql-video" src="{origin}/…">`. The editor uses the
 * first two; Quill itself makes the third.
 */
export const VIDEO_ORIGINS = [
  'https://www.youtube-nocookie.com',
  'https://player.vimeo.com',
  'https://www.youtube.com',
] as const

/** Matches an upload, or one of the site's images. Posts show no other images. */
export const POST_IMAGE = /^\/(?:uploads|images)(?:\/[\w-]+(?:\.[\w-]+)*)+$/

/** Matches the paths of a single video's player at VIDEO_ORIGINS. */
const VIDEO_PATH = /^\/(?:embed\/[\w-]{1,64}|video\/\d{1,20})$/
/** Matches the allowed query parameters. `h` opens an unlisted Vimeo video. */
const VIDEO_PARAMETER = /^(?:start|end|h|showinfo|rel)$/
/** Matches the fragment that says where a Vimeo video starts. */
const VIDEO_START = /^#t=(?:\d{1,5}[hms]?){1,3}$/

/** Returns the normalized URL of a video's player that a post may embed. Undefined for any other URL. */
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
