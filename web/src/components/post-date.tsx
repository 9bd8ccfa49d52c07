// Not Intl.DateTimeFormat: its constructor takes 0.1 s on a slow phone.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The day in UTC, so that server and browser render the same. */
export function PostDate({ iso }: { iso: string }) {
  const date = new Date(iso)
  return (
    <time dateTime={iso}>
      {`${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`}
    </time>
  )
}
