import { Link } from 'react-router-dom'

interface PagerProps {
  /** What is paged, and which of its pagers this is: two landmarks need two names. */
  label: string
  /** Where the list stands; page 1 is the bare path. */
  path: string
  page: number
  count: number
  perPage: number
}

/** Links to the pages of a list; nothing where one page holds it all. */
export function Pager({ label, path, page, count, perPage }: PagerProps) {
  const last = Math.ceil(count / perPage)
  if (last <= 1) return null
  return (
    // A new one for each page: the focus then goes to the top of the page, not on from the old link.
    <nav key={page} className="pager" aria-label={label}>
      <p className="pager-place">
        Page {page} of {last}
      </p>
      <ul>
        {page > 1 && (
          <li>
            <Link to={pageHref(path, page - 1)} rel="prev">
              Previous
            </Link>
          </li>
        )}
        {shownPages(page, last).map((shown, index, all) => (
          <li key={shown} data-after-gap={index > 0 && shown - (all[index - 1] ?? 0) > 1}>
            <Link
              to={pageHref(path, shown)}
              aria-current={shown === page ? 'page' : undefined}
              aria-label={`Page ${shown}`}
            >
              {shown}
            </Link>
          </li>
        ))}
        {page < last && (
          <li>
            <Link to={pageHref(path, page + 1)} rel="next">
              Next
            </Link>
          </li>
        )}
      </ul>
    </nav>
  )
}

function pageHref(path: string, page: number): string {
  return page === 1 ? path : `${path}?page=${page}`
}

/** The ends, and the neighbours of where the reader is. */
function shownPages(page: number, last: number): number[] {
  const wanted = [1, page - 1, page, page + 1, last]
  return [...new Set(wanted)].filter((shown) => shown >= 1 && shown <= last).sort((a, b) => a - b)
}
