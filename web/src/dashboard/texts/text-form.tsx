import { GitCompare, History, RotateCcw, Save } from 'virtual:icons'
import type { Text } from '@proctorpass/shared/schemas/text'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { InPostHead } from '../posts/post-page.tsx'
import { DraftNote } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { Conflict } from '../ui/conflict.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { LanguageField } from '../ui/language-field.tsx'
import { englishName } from '../ui/language-names.ts'
import { ariaKeys, keysLabel, useCommands } from '../ui/shortcuts.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import { Differences } from '../versions/differences.tsx'
import { HistoryDialog } from '../versions/history-dialog.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { TextField } from './text-fields.tsx'
import { formPartsOf } from './text-names.ts'
import { partsOfText } from './text-parts.ts'
import { TextPreview } from './text-preview.tsx'
import { TextStanding } from './text-standing.tsx'
import {
  ENGLISH,
  FAQ,
  publicPath,
  readVersion,
  readVersions,
  resetText,
  restoreText,
  TEXTS,
} from './texts.ts'
import { useLanguage } from './use-language.ts'
import { useTextForm } from './use-text-form.ts'

const SAVE_KEYS = 'mod+s'

interface TextFormProps {
  text: Text
  lang: string
  /** Whether this release ships the text in this language. */
  hasShipped: boolean
  /** Receives what a restore or a reset stored. */
  onReplaced: (text: Text) => void
}

/** Edits a text in one language, beside its preview. */
export function TextForm({ text, lang, hasShipped, onReplaced }: TextFormProps) {
  const { key } = text
  const queryClient = useQueryClient()
  const [stored, setStored] = useState(text)
  const { admin, fields: form, conflict, discard } = useTextForm(text, lang, setStored)
  const { kind, fields } = form
  const { isDirty, busy } = admin
  const [, chooseLanguage] = useLanguage()
  const [open, setOpen] = useState<'history' | 'compare' | 'reset' | null>(null)
  const [isResetting, setResetting] = useState(false)
  const close = () => setOpen(null)
  const id = useId()
  const isOwn = stored.state === 'own' && stored.version > 0
  const name = `${key} ${lang}`

  function replace(data: Text): void {
    void queryClient.invalidateQueries({ queryKey: TEXTS })
    void queryClient.invalidateQueries({ queryKey: FAQ })
    queryClient.removeQueries({ queryKey: ['versions', name] })
    onReplaced(data)
  }

  async function reset(): Promise<void> {
    setResetting(true)
    try {
      const { message, data } = await resetText(key, lang, admin.version)
      toast.success(message)
      discard()
      replace(data)
    } catch (failure) {
      toast.error(errorMessage(failure))
      setResetting(false)
      close()
    }
  }

  const resetWords = hasShipped ? 'Back to the shipped text' : 'Remove translation'
  const canReset = isOwn && (hasShipped || lang !== ENGLISH)
  useCommands([
    { label: 'Save', icon: Save, keys: SAVE_KEYS, inFields: true, run: () => busy || void admin.submit() },
    { label: 'History', icon: History, run: () => setOpen('history') },
    ...(hasShipped
      ? [{ label: 'Compare with the shipped text', icon: GitCompare, run: () => setOpen('compare') }]
      : []),
    ...(canReset ? [{ label: resetWords, icon: RotateCcw, run: () => setOpen('reset') }] : []),
  ])

  const read = async (n: number, signal: AbortSignal) =>
    partsOfText(kind, (await readVersion(key, lang, n, signal)).fields)

  return (
    <form id={id} className="text-form" {...admin.props}>
      <InPostHead>
        <p className="post-state" role="status">
          {isDirty && 'Unsaved changes kept in this browser'}
        </p>
        <div className="post-buttons">
          <a className="button button-quiet" href={publicPath(key, lang)} target="_blank" rel="noreferrer">
            View page
          </a>
          <button type="button" className="button" onClick={() => setOpen('history')}>
            History
          </button>
          <SubmitButton
            form={id}
            busy={busy}
            aria-keyshortcuts={ariaKeys(SAVE_KEYS)}
            data-tip={keysLabel(SAVE_KEYS)}
          >
            Save
          </SubmitButton>
        </div>
      </InPostHead>
      <div className="text-write">
        <div className="text-head">
          <div className="text-language">
            <LanguageField lang={lang} onChange={chooseLanguage} />
          </div>
          <TextStanding text={stored} lang={lang} />
          <div className="text-actions">
            {hasShipped && (
              <button type="button" className="button button-s" onClick={() => setOpen('compare')}>
                Compare with the shipped text
              </button>
            )}
            {canReset && (
              <button type="button" className="button button-s" onClick={() => setOpen('reset')}>
                {resetWords}
              </button>
            )}
          </div>
        </div>
        <DraftNote form={{ hasDraft: admin.hasDraft, discardDraft: discard }} />
        {stored.shippedChanged && (
          <p className="work-note" data-tone="amber" role="status">
            The shipped text has changed since this one was edited. Compare them, and save to keep yours.
          </p>
        )}
        {conflict && (
          <Conflict what="this text" {...conflict}>
            <p>
              Your version is still in the form below. Words that are only in the saved version are crossed
              out, and words that are only in yours are underlined:
            </p>
            <div className="conflict-content">
              <Differences
                before={partsOfText(kind, conflict.other.fields)}
                after={partsOfText(kind, fields)}
                lang={lang}
              />
            </div>
          </Conflict>
        )}
        {formPartsOf(key, Object.keys(text.fields)).map((part) => (
          <div key={part.title} className="text-part">
            <h2>{part.title}</h2>
            {part.fields.map((field) => (
              <TextField key={field} form={form} name={field} />
            ))}
          </div>
        ))}
      </div>
      <TextPreview textKey={key} kind={kind} fields={fields} lang={lang} />
      {open === 'history' && (
        <HistoryDialog
          source={{
            name,
            list: (signal) => readVersions(key, lang, signal),
            read,
            isShipped: hasShipped && isOwn,
            async restore(n, version) {
              const { message, data } = await restoreText(key, lang, n, version)
              replace(data)
              return message
            },
          }}
          present={{ version: stored.version, parts: partsOfText(kind, stored.fields) }}
          lang={lang}
          isDirty={isDirty}
          onClose={close}
        />
      )}
      {open === 'compare' && (
        <CompareDialog
          name={name}
          own={partsOfText(kind, fields)}
          read={(signal) => read(0, signal)}
          onClose={close}
        />
      )}
      {open === 'reset' && (
        <ConfirmDialog
          title={hasShipped ? 'Go back to the shipped text?' : 'Remove this translation?'}
          question={
            hasShipped
              ? 'The website shows what this release ships, and later releases may change it. The history keeps your text.'
              : `The website shows the English text instead of the one in ${englishName(lang)}. The history keeps it.`
          }
          confirmLabel={resetWords}
          busy={isResetting}
          onConfirm={() => void reset()}
          onCancel={close}
        />
      )}
      <AskBeforeLeaving unsaved={admin.unsaved} />
    </form>
  )
}
