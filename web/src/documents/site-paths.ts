/** Documents of the server entry that are not pages. */
export const FEED_PATH = '/feed.xml'
export const SITEMAP_PATH = '/sitemap.xml'
export const ROBOTS_PATH = '/robots.txt'
export const MANIFEST_PATH = '/manifest.webmanifest'
