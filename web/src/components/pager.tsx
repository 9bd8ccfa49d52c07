import { Link } from 'react-router'

interface PagerProps {
  /** The landmark's name, which must be unique if a list has two pagers. */
  label: string
  /** The list's path, which is page 1. It may have a query. */
  path: string
  page: number
  count: number
  perPage: number
}

/** Links to a list's pages. It renders nothing if one page holds all items. */
export function Pager({ label, path, page, count, perPage }: PagerProps) {
  const last = Math.ceil(count / perPage)
  if (last <= 1) return null
  return (
    // A new key for each page remounts the pager, so that the focus moves to the top instead of staying on the old
    // link.
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

export function pageHref(path: string, page: number): string {
  return page === 1 ? path : `${path}${path.includes('?') ? '&' : '?'}page=${page}`
}

/** Returns the first and last page, the current one, and its neighbors. */
function shownPages(page: number, last: number): number[] {
  const pages = [1, page - 1, page, page + 1, last]
  return [...new Set(pages)].filter((shown) => shown >= 1 && shown <= last).sort((a, b) => a - b)
}
