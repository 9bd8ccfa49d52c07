import type { RenderInput } from '@proctorpass/shared/ssr'
import { articlePages, englishText, newestChange, postPages } from './dated-pages.ts'
import { escapeMarkup } from './escape.ts'
import { FEED_PATH } from './site-paths.ts'

const NEWEST = 10
/** The date of an empty feed. */
const NEVER_UPDATED = '1970-01-01T00:00:00.000Z'

/** Returns an Atom feed with the newest posts and articles. */
export async function atomFeed(input: RenderInput): Promise<string> {
  const { publicUrl, config, fetchApi } = input
  const [articles, posts, { lead }] = await Promise.all([
    articlePages(input),
    postPages(fetchApi, NEWEST),
    englishText('blogs', input),
  ])
  const newest = [...articles, ...posts]
    .sort((a, b) => Date.parse(b.published) - Date.parse(a.published))
    .slice(0, NEWEST)
  const entries = newest.map(
    ({ path, title, summary, published, updated }) => `  <entry>
    <title>${escapeMarkup(title)}</title>
    <link href="${escapeMarkup(publicUrl + path)}"/>
    <id>${escapeMarkup(publicUrl + path)}</id>
    <published>${escapeMarkup(published)}</published>
    <updated>${escapeMarkup(updated)}</updated>
    <summary>${escapeMarkup(summary)}</summary>
  </entry>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
  <title>${escapeMarkup(config.brand)}</title>
  <subtitle>${escapeMarkup(lead)}</subtitle>
  <link href="${escapeMarkup(publicUrl)}/blogs"/>
  <link rel="self" type="application/atom+xml" href="${escapeMarkup(publicUrl)}${FEED_PATH}"/>
  <id>${escapeMarkup(publicUrl)}/blogs</id>
  <updated>${newestChange(newest) ?? NEVER_UPDATED}</updated>
  <author><name>${escapeMarkup(config.brand)}</name></author>
${entries.join('\n')}
</feed>
`
}
