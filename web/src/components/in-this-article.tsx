import type { PageWords } from '@proctorpass/shared/page-text'
import type { Heading } from '@proctorpass/shared/shown-html'
import { useEffect, useState } from 'react'

interface InThisArticleProps {
  headings: readonly Heading[]
  words: PageWords
}

/** Lists an article's headings and marks the current one. It opens and closes without scripts too. */
export function InThisArticle({ headings, words }: InThisArticleProps) {
  const current = useCurrentHeading(headings)
  return (
    <nav className="in-this-article" aria-label={words.inThisArticle}>
      <details open>
        <summary>
          {words.inThisArticle}
          <span className="when-open">{words.hide}</span>
          <span className="when-closed">{words.show}</span>
        </summary>
        <ol>
          {headings.map(({ id, text }, index) => (
            <li key={id}>
              <a
                href={`#${id}`}
                data-text={`headings.${index}.text`}
                aria-current={id === current ? 'location' : undefined}
              >
                {text}
              </a>
            </li>
          ))}
        </ol>
      </details>
    </nav>
  )
}

/** Returns the last heading above the lower edge of the window's upper third. Null before the first heading. */
function useCurrentHeading(headings: readonly Heading[]): string | null {
  const [current, setCurrent] = useState<string | null>(null)
  useEffect(() => {
    const elements = headings.flatMap(({ id }) => document.getElementById(id) ?? [])
    const update = () => {
      const line = window.innerHeight / 3
      const last = elements.findLast((element) => element.getBoundingClientRect().top < line)
      setCurrent(last?.id ?? null)
    }
    // The margin extends far above the window, so that a jump over several headings also crosses the line.
    const observer = new IntersectionObserver(update, { rootMargin: '1000000px 0px -66.6% 0px' })
    for (const element of elements) observer.observe(element)
    return () => observer.disconnect()
  }, [headings])
  return current
}
