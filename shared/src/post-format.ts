/**
 * What the editor can put into a post besides plain elements, and so what the sanitiser lets through. All of it is
 * classes of the form `ql-{kind}-{value}`: a style attribute would be refused by the Content-Security-Policy.
 */

/** `ql-color-{name}` and `ql-bg-{name}`; each theme has its own shade of a name. */
export const POST_COLORS = ['grey', 'red', 'orange', 'yellow', 'green', 'blue', 'violet'] as const
/** `ql-font-{name}`; without one the text has the page's face. */
export const POST_FONTS = ['serif', 'monospace'] as const
/** `ql-size-{name}`. */
export const POST_SIZES = ['small', 'large', 'huge'] as const
/** `ql-align-{name}`; left is what is without one. */
export const POST_ALIGNMENTS = ['center', 'right', 'justify'] as const
/** `ql-indent-1` to this. */
export const POST_INDENT_MAX = 8
/** `ql-direction-rtl`. */
export const POST_DIRECTION = 'rtl'

/**
 * Origins of the players that may stand in a post, in `<iframe class="ql-video" src="{origin}/…">`. The editor makes
 * addresses of the first two; the third is what Quill makes by itself.
 */
export const VIDEO_ORIGINS = [
  'https://www.youtube-nocookie.com',
  'https://player.vimeo.com',
  'https://www.youtube.com',
] as const
