/** Browsers and Node both have it, but neither's types are loaded here. */
declare const URL: {
  canParse(text: string): boolean
  new (text: string): { hostname: string; origin: string }
}

/** Begins an origin that stands for all subdomains of a host. */
export const ANY_SUBDOMAIN = 'https://*.'

/** Whether the origin's pages can frame the widget. The header that permits framing does not support IPv6 addresses. */
export function canFrame(origin: string): boolean {
  return !origin.includes('[')
}

/** Whether a page with this origin belongs to the site. */
export function isOriginOf(origins: readonly string[], pageOrigin: string): boolean {
  if (origins.includes(pageOrigin)) return true
  if (!URL.canParse(pageOrigin)) return false
  const { hostname, origin } = new URL(pageOrigin)
  if (origin !== pageOrigin || origin !== `https://${hostname}`) return false
  return origins.some(
    (each) => each.startsWith(ANY_SUBDOMAIN) && hostname.endsWith(each.slice(ANY_SUBDOMAIN.length - 1)),
  )
}
