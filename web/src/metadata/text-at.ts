import type { RenderInput } from '@proctorpass/shared/ssr'
import { atomFeed } from './feed.ts'
import { dashboardManifest, manifest } from './manifest.ts'
import { DASHBOARD_MANIFEST_PATH, FEED_PATH, MANIFEST_PATH, ROBOTS_PATH, SITEMAP_PATH } from './site-paths.ts'
import { sitemap } from './sitemap.ts'

interface ServedText {
  type: string
  text: string
}

type Write = (input: RenderInput) => Promise<string> | string

const MANIFEST = 'application/manifest+json; charset=utf-8'

const TEXTS: ReadonlyMap<string, { type: string; write: Write }> = new Map([
  [FEED_PATH, { type: 'application/atom+xml; charset=utf-8', write: atomFeed }],
  [SITEMAP_PATH, { type: 'application/xml; charset=utf-8', write: sitemap }],
  [ROBOTS_PATH, { type: 'text/plain; charset=utf-8', write: robots }],
  [MANIFEST_PATH, { type: MANIFEST, write: manifest }],
  [DASHBOARD_MANIFEST_PATH, { type: MANIFEST, write: dashboardManifest }],
])

export const isText = (pathname: string): boolean => TEXTS.has(pathname)

/** Returns the document at a path that is not a page, or null. */
export async function textAt(pathname: string, input: RenderInput): Promise<ServedText | null> {
  const found = TEXTS.get(pathname)
  return found ? { type: found.type, text: await found.write(input) } : null
}

function robots({ publicUrl }: RenderInput): string {
  return [
    'User-agent: *',
    'Disallow: /dashboard',
    'Disallow: /login',
    'Disallow: /invite',
    '',
    `Sitemap: ${publicUrl}${SITEMAP_PATH}`,
    '',
  ].join('\n')
}
