import { kindOfKey, type TextKey, type TextKind } from '@proctorpass/shared/text-keys'
import { pageName } from '../ui/page-names.ts'

/** Returns a text's name. An article and a question are named by their own words, once these are known. */
export function nameOfText(key: TextKey, fields?: object): string {
  const { h1, question } = (fields ?? {}) as { h1?: string; question?: string }
  return pageName(key) ?? h1 ?? question ?? key.slice(key.indexOf(':') + 1)
}

/** The labels that do not follow from the fields' names. */
const LABELS: Partial<Record<string, string>> = {
  h1: 'Heading',
  imageAlt: 'Alt text',
  'home/heading': 'Headline',
  'home/tagline': 'Typed lines',
  'home/ticked': 'Ticked text',
  'home/figuresHeading': 'Numbers heading',
  'home/figuresNote': 'Numbers note',
  'home/contact': 'Contact link',
  'home/exchange/caption': 'Conversation caption',
  'home/exchange/visitor': 'Name of the visitor',
}

/** What one entry in a list is called. */
const ENTRIES: Partial<Record<string, string>> = {
  steps: 'Step',
  prices: 'Price',
  figures: 'Number',
  messages: 'Message',
  groups: 'Group',
}

/** In an entry, this field has the entry's own name, such as "Step 1". */
const MAIN_FIELDS = new Set(['title', 'figure'])

/** Returns a field's label. `path` names the field below the text's fields, such as `steps/0/text`. */
export function labelOf(kind: TextKind, path: string): string {
  const known = LABELS[`${kind}/${path}`] ?? LABELS[path]
  if (known !== undefined) return known
  const parts = path.split('/')
  const last = parts.at(-1) ?? ''
  const at = parts.findIndex((part) => /^\d+$/.test(part))
  if (at > 0) {
    const entry = `${entryName(parts[at - 1] ?? '')} ${Number(parts[at]) + 1}`
    if (at === parts.length - 1 || MAIN_FIELDS.has(last)) return entry
    return `${entry}, ${last === 'isFromTeam' ? 'from' : words(last)}`
  }
  const label = parts.map(words).join(' ')
  return label.charAt(0).toUpperCase() + label.slice(1)
}

/** Returns what one entry in the list with this name is called. */
export function entryName(list: string): string {
  return ENTRIES[list] ?? 'Entry'
}

function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

const HINTS: Partial<Record<string, string>> = {
  'home/heading': 'One part on each line. The last one is underlined.',
  'home/tagline': 'One on each line. They appear one after the other.',
  'home/ticked': 'It has a check mark in the margin.',
  'home/contact': 'The link to the contact page.',
  'home/scrollDown': 'The link down to the posts.',
  'home/pricesMore': 'The link to the FAQ, below the prices.',
  'home/blogsAll': 'The link to all posts.',
  'home/reviewsAll': 'The link to all reviews.',
  'home/exchange/visitor': 'Screen readers say it before each message of the visitor.',
  'blogs/end': 'A question below each post.',
  'blogs/endLink': 'The link after it, to the contact page.',
  description: 'Search engines show it.',
  image: 'The path of a picture on this website.',
}

/** Returns what helps to fill in a field. */
export function hintOf(kind: TextKind, path: string): string | undefined {
  return HINTS[`${kind}/${path}`] ?? HINTS[path]
}

/** The parts of a text's form, and the fields in each. */
interface FormPart {
  title: string
  fields: readonly string[]
}

const SEARCH_ENGINES: FormPart = { title: 'For search engines', fields: ['title', 'description'] }

const HOME: readonly FormPart[] = [
  { title: 'Opening', fields: ['heading', 'tagline', 'lead', 'ticked', 'contact', 'scrollDown'] },
  { title: 'Conversation', fields: ['exchange'] },
  { title: 'Steps', fields: ['stepsHeading', 'steps'] },
  { title: 'Prices', fields: ['pricesHeading', 'prices', 'pricesNote', 'pricesMore'] },
  { title: 'Numbers', fields: ['figuresHeading', 'figuresNote', 'figures'] },
  { title: 'Posts and reviews', fields: ['blogsHeading', 'blogsAll', 'reviewsHeading', 'reviewsAll'] },
  { title: 'Form', fields: ['formHeading', 'formLead'] },
  { title: 'Banner', fields: ['banner'] },
  SEARCH_ENGINES,
]

/** Returns the parts of the form for a text with these fields. */
export function formPartsOf(key: TextKey, names: readonly string[]): readonly FormPart[] {
  const kind = kindOfKey(key)
  if (kind === 'home') return HOME
  const rest = names.filter((name) => !SEARCH_ENGINES.fields.includes(name))
  if (rest.length === names.length) return [{ title: 'Question and answer', fields: names }]
  return [{ title: kind === 'article' ? 'Article' : 'Page', fields: rest }, SEARCH_ENGINES]
}
