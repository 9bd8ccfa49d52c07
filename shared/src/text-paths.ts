import type { TextKey } from './text-keys.ts'

const one = (key: TextKey) => `/texts/${encodeURIComponent(key)}`
const post = (id: string) => `/blogs/${encodeURIComponent(id)}`

/** Paths of the REST API for texts, the FAQ, and their versions. They have their own file, because not every page loads them. */
export const textPaths = {
  texts: '/texts',
  text: one,
  textVersions: (key: TextKey) => `${one(key)}/versions`,
  textVersion: (key: TextKey, n: number) => `${one(key)}/versions/${n}`,
  restoreText: (key: TextKey, n: number) => `${one(key)}/versions/${n}/restore`,
  postVersions: (id: string) => `${post(id)}/versions`,
  postVersion: (id: string, n: number) => `${post(id)}/versions/${n}`,
  restorePost: (id: string, n: number) => `${post(id)}/versions/${n}/restore`,
  faq: '/faq',
  faqOrder: '/faq/order',
  question: (id: string) => `/faq/${encodeURIComponent(id)}`,
  restoreQuestion: (id: string) => `/faq/${encodeURIComponent(id)}/restore`,
} as const
