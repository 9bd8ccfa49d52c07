import { Link } from 'react-router-dom'
import { articles } from '../content/articles.ts'
import { blogsCopy } from '../content/pages.ts'

/** Leads to the articles that come with the site, which no list of posts holds. */
export function Guides() {
  return (
    <section className="sheet" aria-labelledby="guides">
      <h2 id="guides">{blogsCopy.guidesHeading}</h2>
      <ul className="guides">
        {Array.from(articles, ([slug, { heading }]) => (
          <li key={slug}>
            <Link to={`/blog/${slug}`}>{heading}</Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
