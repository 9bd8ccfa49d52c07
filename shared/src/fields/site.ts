import type { ErrorDetail } from '../errors.ts'
import {
  SITE_DISPLAY_NAME_MAX,
  SITE_LABEL_MAX,
  SITE_NAME_MAX,
  SITE_OFFSET_MAX,
  SITE_ORIGINS_MAX,
} from '../limits.ts'
import type { NewSite, SiteLook } from '../schemas/site.ts'
import { ANY_SUBDOMAIN } from '../site-origins.ts'
import { cleanLocalized, shownTextProblem } from './shown-text.ts'
import { lineProblem, textField, trimmed } from './text.ts'

/** Browsers and Node both have it, but neither's types are loaded here. */
declare const URL: {
  canParse(text: string): boolean
  new (text: string): { protocol: string; hostname: string; port: string; origin: string }
}

export const SITE_NAME_FIELD = textField('Name is required', (name) => lineProblem(name, SITE_NAME_MAX))

export const DEFAULT_LOOK: SiteLook = {
  color: '#0a783e',
  side: 'right',
  offset: { x: 24, y: 24 },
  label: { en: '', zh: '' },
}

export type SiteFields = Partial<Pick<NewSite, 'name' | 'displayName' | 'greeting' | 'origins' | 'look'>>

/** Returns the fields as they are stored, without texts in languages that are not kept. */
export function cleanSite<Fields extends SiteFields>(
  fields: Fields,
  isKept = (_tag: string) => true,
): Fields {
  const { name, displayName, greeting, look } = fields
  return {
    ...fields,
    ...(name === undefined ? {} : { name: SITE_NAME_FIELD.clean(name) }),
    ...(displayName === undefined ? {} : { displayName: trimmed(displayName) }),
    ...(greeting === undefined ? {} : { greeting: cleanLocalized(greeting, isKept) }),
    ...(look === undefined
      ? {}
      : {
          look: {
            ...look,
            color: look.color.trim().toLowerCase(),
            label: cleanLocalized(look.label, isKept, trimmed),
          },
        }),
  }
}

/** Returns errors in cleaned fields, with one detail for each. */
export function siteProblems({ name, displayName, greeting, origins, look }: SiteFields): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const add = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }
  if (name !== undefined) add('name', SITE_NAME_FIELD.problem(name))
  if (displayName !== undefined) add('displayName', lineProblem(displayName, SITE_DISPLAY_NAME_MAX))
  if (greeting !== undefined) {
    for (const [tag, text] of Object.entries(greeting)) add(`greeting/${tag}`, shownTextProblem(text))
  }
  if (origins !== undefined) {
    if (origins.length === 0) add('origins', "Add the website's address")
    if (origins.length > SITE_ORIGINS_MAX) add('origins', `Use ${SITE_ORIGINS_MAX} addresses or fewer`)
    for (const [index, origin] of origins.slice(0, SITE_ORIGINS_MAX).entries()) {
      const isDouble = origins.indexOf(origin) < index
      add(`origins/${index}`, isDouble ? `${shown(origin)} is listed twice` : originProblem(origin))
    }
  }
  if (look !== undefined) details.push(...lookProblems(look))
  return details
}

function lookProblems({ color, offset, label }: SiteLook): ErrorDetail[] {
  const details: ErrorDetail[] = []
  if (!/^#[0-9a-f]{6}$/.test(color)) {
    details.push({ field: 'look/color', message: 'Use a color such as #0a783e' })
  }
  for (const axis of ['x', 'y'] as const) {
    if (!Number.isInteger(offset[axis]) || offset[axis] < 0 || offset[axis] > SITE_OFFSET_MAX) {
      details.push({ field: `look/offset/${axis}`, message: `Use 0 to ${SITE_OFFSET_MAX} pixels` })
    }
  }
  for (const [tag, text] of Object.entries(label)) {
    const message = lineProblem(text, SITE_LABEL_MAX)
    if (message !== null) details.push({ field: `look/label/${tag}`, message })
  }
  return details
}

/** Matches a subset of the hosts that URLs allow, which fits into the header that permits framing. */
const HOST = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])
/** Explains, for a person, why a text is not a site's origin, and names the text. Null if it is one. */
export function originProblem(origin: string): string | null {
  if (origin.startsWith(ANY_SUBDOMAIN)) return starProblem(origin)
  if (!URL.canParse(origin)) return `${shown(origin)} is not an address: use https://www.example.com`
  const { protocol, hostname, origin: written, port } = new URL(origin)
  if (protocol === 'http:' && !LOOPBACK.has(hostname)) {
    return `${shown(origin)} must begin with https: only localhost may use http`
  }
  if (protocol !== 'https:' && protocol !== 'http:') {
    return `${shown(origin)} must begin with https`
  }
  if (!isHost(hostname)) return `${shown(origin)} has characters that a host name cannot have`
  if (port === '0') return `${shown(origin)} has no such port`
  return written === origin ? null : `${shown(origin)} must be written as ${written}`
}

function starProblem(origin: string): string | null {
  const host = origin.slice(ANY_SUBDOMAIN.length)
  const url = `https://${host}`
  if (!URL.canParse(url)) return `${shown(origin)} is not an address: use https://*.example.com`
  const { hostname, origin: written } = new URL(url)
  const labels = hostname.replace(/\.$/, '').split('.')
  if (written !== `https://${hostname}`) return `${shown(origin)} must have no port: * stands for hosts only`
  if (hostname.startsWith('[') || /^\d+$/.test(labels.at(-1) ?? '')) {
    return `${shown(origin)} needs a name behind the *, not a number`
  }
  if (labels.length < 2) return `${shown(origin)} must name a domain, such as https://*.example.com`
  if (!isHost(hostname)) return `${shown(origin)} has characters that a host name cannot have`
  return written === url ? null : `${shown(origin)} must be written as ${ANY_SUBDOMAIN}${hostname}`
}

const isHost = (hostname: string) => HOST.test(hostname) || /^\[[0-9a-f:.]+\]$/.test(hostname)

/** Quotes at most 100 characters of the text. */
function shown(origin: string): string {
  return `"${(origin.length > 100 ? `${origin.slice(0, 99)}…` : origin).toWellFormed()}"`
}
