import { Link } from 'react-router'
import { useSiteConfig } from '../lib/site-config.ts'

/** Shows the brand's tick and name, which link to the home page. */
export function BrandMark() {
  const { brand } = useSiteConfig()
  return (
    <Link to="/" className="brand">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d="M2.500 11.400c1.900 1.200 3.200 2.900 4.200 5.300C9 11 12.300 6.600 17.500 2.800" />
      </svg>
      {brand}
    </Link>
  )
}
