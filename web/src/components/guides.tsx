import { Link } from 'react-router'
import { articles } from '../content/articles.ts'
import { blogsCopy } from '../content/pages.ts'

/** Links to the articles that ship with the site: no list of posts contains them. */
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
