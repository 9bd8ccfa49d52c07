import UFuzzy from '@leeoniya/ufuzzy'
import { foldText } from '@proctorpass/shared/fold'
import type { SuggestedPage } from '@proctorpass/shared/schemas/suggestion'
import { runsIn, termsOf } from '@proctorpass/shared/tokenizer'

/** The search begins at this many words, with the last one's first letter. */
const WORDS_MIN = 3
const SUGGESTED_MAX = 3
/** A term on a larger share of the pages than this says nothing. */
const COMMON = 0.3
/** Words that occur in any question and say nothing about its subject. */
const EMPTY_WORDS = new Set(
  'a am an and any are as at be been but by can could did do does for from get good got had has have hello help hey hi how i if in is it its just know like ll m me much my need no not of ok on one or our please question re s so t thank thanks that the their them then there they this to us ve very want was we were what when where which who why will with work works would yes you your'.split(
    ' ',
  ),
)
/** Words shorter than this must match exactly, because an error would turn them into other words. */
const FORGIVEN_LENGTH = 5
/** A match in a title counts as much as this many in the text. */
const TITLE_WEIGHT = 3
/** The minimum is one match in a title, or two in the text. */
const MATCHES_MIN = 2

/**
 * One letter may be wrong, missing, doubled, or exchanged with its neighbor. A word may continue, as in `refund` and
 * `refunds`. Nothing is sorted here, and the default `compare` would load the languages' rules for sorting.
 */
const forgiving = new UFuzzy({ intraMode: 1, interLft: 2, compare: () => 0 })
const ASCII_WORD = /^[a-z0-9]+$/

/** Whether the text has enough words to search for. In a script without spaces, two characters count as a word. */
export function hasWords(text: string): boolean {
  const lengths = runsIn({ text: foldText(text) }).map(({ text: run, kind }) =>
    kind === 'unspaced' ? Math.ceil([...run].length / 2) : 1,
  )
  return lengths.reduce((sum, words) => sum + words, 0) >= WORDS_MIN
}

/** Returns the terms that say what a text is about. */
export function subjectTerms(text: string): string[] {
  return termsOf(text).filter((term) => !EMPTY_WORDS.has(term))
}

/** Returns a function that finds the pages that may answer a text, best first. */
export function createFinder(pages: readonly SuggestedPage[]): (text: string) => SuggestedPage[] {
  const titles = pages.map(({ title }) => termsOf(title).join(' '))
  const texts = pages.map(({ terms }, index) => `${titles[index]} ${terms}`)
  /** The pages that have a term, cached because a word stays while the next ones are typed. */
  const known = new Map<string, { inText: number[]; inTitle: Set<number> }>()

  function lookUp(term: string, isBegun: boolean) {
    const key = isBegun ? `${term}*` : term
    let found = known.get(key)
    if (found === undefined) {
      const find = matcher(term, isBegun)
      const inText = find(texts)
      found = { inText, inTitle: new Set(inText.length === 0 ? [] : find(titles)) }
      known.set(key, found)
    }
    return found
  }

  return (text) => {
    const terms = subjectTerms(text)
    // The last word is still being typed.
    const isBegun = /[\p{L}\p{N}\p{M}]$/u.test(text)
    const scores = new Array<number>(pages.length).fill(0)
    const matches = new Array<number>(pages.length).fill(0)
    for (const [index, term] of terms.entries()) {
      const { inText, inTitle } = lookUp(term, isBegun && index === terms.length - 1)
      if (inText.length === 0 || inText.length > pages.length * COMMON) continue
      const weight = Math.log(pages.length / inText.length)
      for (const page of inText) {
        const times = inTitle.has(page) ? TITLE_WEIGHT : 1
        scores[page] = (scores[page] ?? 0) + weight * times
        matches[page] = (matches[page] ?? 0) + times
      }
    }
    return pages
      .map((page, index) => ({ page, score: scores[index] ?? 0, matches: matches[index] ?? 0 }))
      .filter(({ page, matches }) => matches >= MATCHES_MIN && isFor(page, terms))
      .sort((a, b) => b.score - a.score)
      .slice(0, SUGGESTED_MAX)
      .map(({ page }) => page)
  }
}

/** Whether a page's title would not accuse a visitor who asks about something else. */
function isFor({ onlyFor }: SuggestedPage, terms: readonly string[]): boolean {
  return onlyFor === undefined || terms.some((term) => term.startsWith(onlyFor))
}

/** Returns a function that finds the indexes of the texts that have the term. */
function matcher(term: string, isBegun: boolean): (texts: string[]) => number[] {
  if (ASCII_WORD.test(term) && term.length >= FORGIVEN_LENGTH) {
    return (texts) => {
      const found = forgiving.filter(texts, term) ?? []
      // The filter does not know where words begin.
      return found.length === 0 ? [] : forgiving.info(found, texts, term).idx
    }
  }
  const end = isBegun ? '' : ' '
  return (texts) => texts.flatMap((text, index) => (` ${text} `.includes(` ${term}${end}`) ? [index] : []))
}
