/** Documents of the server entry that are not pages. */
export const FEED_PATH = '/feed.xml'
export const SITEMAP_PATH = '/sitemap.xml'
export const ROBOTS_PATH = '/robots.txt'
export const MANIFEST_PATH = '/manifest.webmanifest'
/** Of the dashboard, which can be installed; the public site cannot. */
export const DASHBOARD_MANIFEST_PATH = '/dashboard.webmanifest'

/** The manifest that a page links. */
export const manifestPath = (head: { admin?: true } | undefined): string =>
  head?.admin ? DASHBOARD_MANIFEST_PATH : MANIFEST_PATH
