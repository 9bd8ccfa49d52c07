/** Browsers and Node have it; the types of neither are loaded here. */
declare const URL: {
  canParse(text: string): boolean
  new (text: string): { hostname: string; origin: string }
}

/** Begins an origin that stands for all hosts below another. */
export const ANY_SUBDOMAIN = 'https://*.'

/** Whether pages of the origin can frame the widget: the header that permits it knows no IPv6 addresses. */
export function canFrame(origin: string): boolean {
  return !origin.includes('[')
}

/** Whether a page of this origin belongs to the site. */
export function isOriginOf(origins: readonly string[], pageOrigin: string): boolean {
  if (origins.includes(pageOrigin)) return true
  if (!URL.canParse(pageOrigin)) return false
  const { hostname, origin } = new URL(pageOrigin)
  if (origin !== pageOrigin || origin !== `https://${hostname}`) return false
  return origins.some(
    (each) => each.startsWith(ANY_SUBDOMAIN) && hostname.endsWith(each.slice(ANY_SUBDOMAIN.length - 1)),
  )
}
