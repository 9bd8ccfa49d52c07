import type { PageKey, TextKey } from '@proctorpass/shared/text-keys'

const PAGE_NAMES: Record<PageKey, string> = {
  home: 'Home',
  faq: 'FAQ',
  blogs: 'Blogs',
  reviews: 'Reviews',
  contact: 'Contact',
  privacy: 'Privacy',
  terms: 'Terms',
}

/** Returns the name of a page's text. Undefined for an article or a question, which its own words name. */
export function pageName(key: TextKey): string | undefined {
  return Object.hasOwn(PAGE_NAMES, key) ? PAGE_NAMES[key as PageKey] : undefined
}
