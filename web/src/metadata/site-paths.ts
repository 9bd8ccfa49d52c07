/** The paths of documents that the server entry renders and that are not pages. */
export const FEED_PATH = '/feed.xml'
export const SITEMAP_PATH = '/sitemap.xml'
export const ROBOTS_PATH = '/robots.txt'
export const MANIFEST_PATH = '/manifest.webmanifest'
/** The dashboard's manifest, because only the dashboard can be installed. */
export const DASHBOARD_MANIFEST_PATH = '/dashboard.webmanifest'

/** Returns the path of the manifest that a page links. */
export const manifestPath = (head: { admin?: true } | undefined): string =>
  head?.admin ? DASHBOARD_MANIFEST_PATH : MANIFEST_PATH
