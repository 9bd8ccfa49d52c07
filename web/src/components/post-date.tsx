/** The day, as written on a paper: the same for every reader, wherever the page was rendered. */
export function PostDate({ iso }: { iso: string }) {
  return <time dateTime={iso}>{FORMAT.format(new Date(iso))}</time>
}

const FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
