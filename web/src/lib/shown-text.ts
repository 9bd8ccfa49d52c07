import type { PageText } from '@proctorpass/shared/page-text'

interface LoaderData {
  text?: PageText<Record<string, unknown>> | null
}

/** These strings are addresses, dates, and tags, not words. They stay in the page's state. */
const KEPT = new Set(['id', 'slug', 'image', 'lang', 'published', 'updated'])

/** Returns a loader's data for the page's state, without the strings of its text, because the page shows them. */
export function withoutWords(data: unknown): unknown {
  const { text } = (data ?? {}) as LoaderData
  if (!text) return data
  return { ...(data as LoaderData), text: { ...text, text: structureOf(text.text) } }
}

function structureOf(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return KEPT.has(name) || value === '' ? value : undefined
  if (Array.isArray(value)) return value.map((each) => structureOf(each))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, structureOf(each, key)]))
}

/**
 * Puts the words that `withoutWords` leaves out back into the loaders' data, from the elements that show them. Their
 * `data-text` is the word's place in the text. An element may contain other elements after its word.
 */
export function readWords(loaderData: Record<string, unknown>): void {
  for (const data of Object.values(loaderData)) {
    const { text } = (data ?? {}) as LoaderData
    if (!text) continue
    // A list's later pages begin with their number.
    text.text.title = document.title.replace(/^Page \d+: /, '')
    for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
      const path = (element.dataset.text as string).split('.')
      const last = path.pop() as string
      let place = text.text
      for (const name of path) place = place[name] as typeof place
      place[last] =
        last === 'html'
          ? element.innerHTML
          : ((element as HTMLImageElement).alt ?? (element.firstChild as Text).data ?? element.textContent)
    }
  }
}
