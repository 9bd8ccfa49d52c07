import type { Answered } from '@proctorpass/shared/schemas/suggestion'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { callAsAdmin } from '../../lib/session.ts'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import './reports.css'

/** The path is here and not in `adminPaths`, because every dashboard page loads that module. */
const ANSWERED_PATH = '/suggestions/answered'
/** The page asks this often while the server does not know some first messages yet. */
const INDEXING_MS = 2_000

/** Shows what suggested pages answered in a range of days, and what no page answered. */
export function AnsweredPart({ from, to }: { from: string; to: string }) {
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['reports', 'answered', from, to],
    queryFn: ({ signal }) =>
      callAsAdmin<Answered>(`${ANSWERED_PATH}?${new URLSearchParams({ from, to })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.questions.indexing ? INDEXING_MS : false),
  })
  return (
    <>
      <h2>Suggested pages</h2>
      <p className="report-note">
        Pages that visitors opened while they typed, on all websites. A page counts as answered unless the
        visitor sends a message within 30 minutes.
      </p>
      {isPending && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && <PageTable pages={data.pages} />}
      {data && <Missing questions={data.questions} />}
    </>
  )
}

function PageTable({ pages }: Pick<Answered, 'pages'>) {
  if (pages.length === 0) return <p>No suggested pages were opened in this period.</p>
  return (
    // Wide tables scroll by themselves, and the keyboard can scroll them.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="report-table answered-pages" tabIndex={0} aria-label="Suggested pages">
      <table>
        <caption className="visually-hidden">Suggested pages</caption>
        <thead>
          <tr>
            <th scope="col">Page</th>
            <th scope="col">Opened</th>
            <th scope="col">Answered</th>
          </tr>
        </thead>
        <tbody>
          {pages.map(({ path, title, opened, answered }) => (
            <tr key={path}>
              <th scope="row" dir="auto">
                {title === null ? `${path} (deleted)` : <a href={path}>{title}</a>}
              </th>
              <td>{opened}</td>
              <td>{answered}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Missing({ questions: { indexing, searched, unanswered, words } }: Pick<Answered, 'questions'>) {
  return (
    <>
      <h2>Topics to write about</h2>
      <p className="report-note">
        {indexing && 'Still counting. The latest figures will appear shortly. '}
        {searched === 0
          ? 'No conversations from this period are stored.'
          : `${unanswered} of the last ${searched} first ${searched === 1 ? 'message' : 'messages'} matched no page.`}
        {unanswered > 0 &&
          (words.length === 0
            ? ' No word appears in five or more of them.'
            : ' These words appear in five or more of them, shown with how many:')}
      </p>
      {words.length > 0 && (
        <ul className="answered-words" aria-label="Words without a page">
          {words.map(({ word, messages }) => (
            <li key={word}>
              <Link to={`/dashboard/faq?${new URLSearchParams({ question: word })}`} dir="auto">
                {word}
              </Link>{' '}
              {messages}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
