import type { TextFields } from '@proctorpass/shared/fields/page-texts'
import type { SavedText, Text, TextList, TextVersion, VersionList } from '@proctorpass/shared/schemas/text'
import { questionIdIn, type TextKey } from '@proctorpass/shared/text-keys'
import { textPaths } from '@proctorpass/shared/text-paths'
import { queryOptions } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

/** The query key of the list of texts. */
export const TEXTS = ['texts'] as const
/** The query key of the questions in all languages. */
export const FAQ = ['faq'] as const

export const ENGLISH = 'en'

export const textsQuery = queryOptions({
  queryKey: TEXTS,
  queryFn: ({ signal }) => callAsAdmin<TextList>(textPaths.texts, { signal }),
})

/** Returns a path for one language. English, the default, needs no parameter. */
export function inLanguage(path: string, lang: string): string {
  return lang === ENGLISH ? path : `${path}?lang=${encodeURIComponent(lang)}`
}

export function readText(key: TextKey, lang: string, signal?: AbortSignal): Promise<Text> {
  return callAsAdmin<Text>(inLanguage(textPaths.text(key), lang), { signal })
}

export function saveText(
  key: TextKey,
  lang: string,
  body: { fields: TextFields; version: number },
): Promise<SavedText> {
  return callAsAdmin<SavedText>(inLanguage(textPaths.text(key), lang), { method: 'PUT', body })
}

/** Goes back to the shipped text, or removes a translation. */
export function resetText(key: TextKey, lang: string, version: number): Promise<SavedText> {
  const query = new URLSearchParams({ lang, version: String(version) })
  return callAsAdmin<SavedText>(`${textPaths.text(key)}?${query}`, { method: 'DELETE' })
}

export function readVersions(key: TextKey, lang: string, signal?: AbortSignal): Promise<VersionList> {
  return callAsAdmin<VersionList>(inLanguage(textPaths.textVersions(key), lang), { signal })
}

/** Reads a version of a text. Version 0 is what ships now. */
export function readVersion(
  key: TextKey,
  lang: string,
  n: number,
  signal?: AbortSignal,
): Promise<TextVersion> {
  return callAsAdmin<TextVersion>(inLanguage(textPaths.textVersion(key, n), lang), { signal })
}

export function restoreText(key: TextKey, lang: string, n: number, version: number): Promise<SavedText> {
  return callAsAdmin<SavedText>(inLanguage(textPaths.restoreText(key, n), lang), {
    method: 'POST',
    body: { version },
  })
}

/** Returns the path on which visitors read a text. */
export function publicPath(key: TextKey, lang: string): string {
  const question = questionIdIn(key)
  if (question !== null) return `${inLanguage('/faq', lang)}#${question}`
  const path = key.startsWith('article:') ? `/blog/${key.slice('article:'.length)}` : `/${key}`
  return inLanguage(key === 'home' ? '/' : path, lang)
}

/** Returns the dashboard's path for editing a text. */
export function editorPath(key: TextKey, lang = ENGLISH): string {
  const question = questionIdIn(key)
  const path = question === null ? `/dashboard/pages/${key}` : `/dashboard/faq/${question}`
  return inLanguage(path, lang)
}
