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
