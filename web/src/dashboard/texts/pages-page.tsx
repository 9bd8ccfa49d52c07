import type { TextSummary } from '@proctorpass/shared/schemas/text'
import { kindOfKey, questionIdIn, type TextKey } from '@proctorpass/shared/text-keys'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { englishName } from '../ui/language-names.ts'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { shownTime } from '../ui/shown-time.ts'
import { nameOfText } from './text-names.ts'
import { TextState } from './text-standing.tsx'
import { ENGLISH, editorPath, publicPath, readText, textsQuery } from './texts.ts'
import './texts.css'

/** Lists the texts of the website's pages. */
export function PagesPage() {
  const { data, error, isPending, refetch } = useQuery(textsQuery)
  const texts = (data?.texts ?? []).filter(({ key }) => questionIdIn(key) === null)
  const english = texts.filter(({ lang }) => lang === ENGLISH)
  const names = useArticleNames(english.map(({ key }) => key).filter((key) => kindOfKey(key) === 'article'))
  return (
    <section className="dashboard-page">
      <PageHeading>Pages</PageHeading>
      <p className="page-note">
        Every sentence of your website. A text that is shipped changes with a new release, and one that you
        have edited stays as you wrote it.
      </p>
      {isPending && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && (
        <ul className="row-list card text-list" aria-label="Pages">
          {english.map((text) => (
            <TextRow
              key={text.key}
              text={text}
              name={names.get(text.key) ?? nameOfText(text.key)}
              others={texts.filter(({ key, lang }) => key === text.key && lang !== ENGLISH)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Articles are named by their own headings. */
function useArticleNames(keys: readonly TextKey[]): ReadonlyMap<string, string> {
  return useQueries({
    queries: keys.map((key) => ({
      queryKey: ['text-name', key],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        [key, nameOfText(key, (await readText(key, ENGLISH, signal)).fields)] as const,
    })),
    combine: (results) => new Map(results.flatMap(({ data }) => (data ? [data] : []))),
  })
}

interface TextRowProps {
  text: TextSummary
  name: string
  /** The text in other languages. */
  others: readonly TextSummary[]
}

function TextRow({ text, name, others }: TextRowProps) {
  const { key, state, updatedAt, by, shippedChanged } = text
  return (
    <li>
      <div>
        <Link to={editorPath(key)} dir="auto">
          {name}
        </Link>
        <span className="field-hint">
          <span className="text-path">{publicPath(key, ENGLISH)}</span>
          {state === 'own' && updatedAt !== null && (
            <>
              {' · '}
              <time dateTime={updatedAt}>{shownTime(updatedAt)}</time>
              {by !== null && (
                <>
                  {' by '}
                  <bdi>{by.name}</bdi>
                </>
              )}
            </>
          )}
        </span>
      </div>
      <span className="text-chips">
        {shippedChanged && (
          <span className="chip" data-tone="amber">
            The shipped text has changed
          </span>
        )}
        {others.map(({ lang }) => (
          <Link
            key={lang}
            className="chip"
            to={editorPath(key, lang)}
            aria-label={`${name}, ${englishName(lang)}`}
          >
            {englishName(lang)}
          </Link>
        ))}
        <TextState state={state} />
      </span>
    </li>
  )
}
