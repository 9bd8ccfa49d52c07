import type { Text } from '@proctorpass/shared/schemas/text'
import { kindOfKey, questionKey, type TextKey } from '@proctorpass/shared/text-keys'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { PostPage } from '../posts/post-page.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { TextForm } from './text-form.tsx'
import { nameOfText } from './text-names.ts'
import { ENGLISH, readText, readVersion } from './texts.ts'
import { useLanguage } from './use-language.ts'
import '../ui/content.css'
import './texts.css'

/** Edits the text that the address names, in the language that the address names. */
export function TextPage() {
  const { key: named, id } = useParams()
  const key = (id === undefined ? named : questionKey(id)) as TextKey
  const [lang] = useLanguage()
  return kindOfKey(key) === null ? (
    <UnknownText />
  ) : (
    <LoadedText key={`${key} ${lang}`} textKey={key} lang={lang} />
  )
}

function LoadedText({ textKey: key, lang }: { textKey: TextKey; lang: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['text', key, lang],
    // The form reads the text once. Saving detects a newer version as a conflict.
    queryFn: async ({ signal }) => {
      const [text, hasShipped] = await Promise.all([
        readText(key, lang, signal),
        lang === ENGLISH ? shippedExists(key, signal) : false,
      ])
      return { text, hasShipped }
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  /** What a restore or a reset stored. The form begins with it. */
  const [replaced, setReplaced] = useState<{ text: Text; number: number } | null>(null)
  const text = replaced?.text ?? data?.text
  return (
    <PostPage heading={nameOfText(key, text?.fields)}>
      {!data && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && text && (
        <TextForm
          key={replaced?.number ?? 0}
          text={{ ...text, key }}
          lang={lang}
          hasShipped={data.hasShipped}
          onReplaced={(next) => setReplaced({ text: next, number: (replaced?.number ?? 0) + 1 })}
        />
      )}
    </PostPage>
  )
}

/** An admin's own question has no shipped text. */
async function shippedExists(key: TextKey, signal: AbortSignal): Promise<boolean> {
  if (kindOfKey(key) !== 'question') return true
  return readVersion(key, ENGLISH, 0, signal).then(
    () => true,
    () => false,
  )
}

function UnknownText() {
  return (
    <PostPage heading="Page not found">
      <div className="empty-state">
        <p className="list-words">This text does not exist.</p>
        <Link className="button" to="/dashboard/pages">
          All pages
        </Link>
      </div>
    </PostPage>
  )
}
