import type { PageText, ShownTexts } from '@proctorpass/shared/page-text'
import type { ReactNode } from 'react'
import { useLoaderData, useLocation } from 'react-router'
import { LoadError } from '../components/load-error.tsx'
import { type LoaderArgs, loaderResult, readText } from '../lib/page-loader.ts'
import type { PageHead } from '../metadata/page-head.ts'
import { useLastLoaded } from './use-last-loaded.ts'

export interface TextData<Key extends keyof ShownTexts> {
  /** Null if it could not be loaded. */
  text: PageText<ShownTexts[Key]> | null
}

/** Makes a loader for a page that needs nothing but its text. */
export function textLoader<Key extends keyof ShownTexts>(key: Key) {
  return async (args: LoaderArgs) => loaderResult({ text: await readText<Key>(key, args) })
}

/** Makes a page's head from its text. */
export function textHead(
  { text }: { text: PageText<{ title: string; description: string }> | null },
  more: Omit<PageHead, 'title'> = {},
): PageHead {
  if (text === null) return { title: '{brand}', noindex: true }
  const { title, description } = text.text
  return { title, description, text, ...more }
}

interface TextPageProps<Key extends keyof ShownTexts> {
  /** `lang` is for the parts whose words are in the code, in English. It is undefined if the page is in English too. */
  children: (page: PageText<ShownTexts[Key]>, lang: 'en' | undefined) => ReactNode
}

/** Renders a page from its text. */
export function TextPage<Key extends keyof ShownTexts>({ children }: TextPageProps<Key>) {
  const data = useLoaderData<TextData<Key>>()
  const { pathname, search } = useLocation()
  const text = useLastLoaded(data.text, pathname + search)
  if (text) return children(text, text.lang === 'en' ? undefined : 'en')
  return (
    <section className="sheet">
      <h1>This page could not be loaded</h1>
      <LoadError what="page" />
    </section>
  )
}
