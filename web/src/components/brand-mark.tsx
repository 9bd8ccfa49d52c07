import { Link } from 'react-router'
import { useSiteConfig } from '../lib/site-config.ts'
import { BRAND_TICK } from './brand-tick.ts'

/** Shows the brand's tick and name, which link to the home page. */
export function BrandMark() {
  const { brand } = useSiteConfig()
  return (
    <Link to="/" className="brand">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={BRAND_TICK} />
      </svg>
      {brand}
    </Link>
  )
}
