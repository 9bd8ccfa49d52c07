// By hand, because making an Intl.DateTimeFormat keeps a slow phone busy for a tenth of a second.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

/** The day, as written on a paper: the same for every reader, wherever the page was rendered. */
export function PostDate({ iso }: { iso: string }) {
  const date = new Date(iso)
  return (
    <time dateTime={iso}>
      {`${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`}
    </time>
  )
}
