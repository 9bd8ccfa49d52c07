import type { Text } from '@proctorpass/shared/schemas/text'
import { englishName } from '../ui/language-names.ts'
import { shownTime } from '../ui/shown-time.ts'
import { ENGLISH } from './texts.ts'

type State = Text['state']

/** These pages have no other language, because they show lists and forms. */
const ENGLISH_PAGES: ReadonlySet<string> = new Set(['blogs', 'reviews', 'contact'])

const WORDS: Record<State, string> = { shipped: 'Shipped', own: 'Edited' }

/** Shows whether a text is as shipped or an admin has edited it. */
export function TextState({ state }: { state: State }) {
  return (
    <span className="chip" data-tone={state === 'own' ? 'blue' : 'grey'}>
      {WORDS[state]}
    </span>
  )
}

/** Says whose words a text has, and since when. */
export function TextStanding({ text, lang }: { text: Text; lang: string }) {
  const { state, updatedAt, lang: own } = text
  if (lang !== ENGLISH && ENGLISH_PAGES.has(text.key)) {
    return (
      <p className="text-standing" role="status">
        The website shows this page in English only.
      </p>
    )
  }
  if (own !== lang) {
    return (
      <p className="text-standing" role="status">
        Not translated yet. The website shows the English text until you save one in {englishName(lang)}.
      </p>
    )
  }
  return (
    <p className="text-standing" role="status">
      <TextState state={state} />{' '}
      {state === 'own' && updatedAt !== null && <time dateTime={updatedAt}>{shownTime(updatedAt)}</time>}
    </p>
  )
}
