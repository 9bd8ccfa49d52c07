import { Pencil, Plus, RotateCcw } from 'virtual:icons'
import type { Faq } from '@proctorpass/shared/schemas/faq'
import { textPaths } from '@proctorpass/shared/text-paths'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { LanguageField } from '../ui/language-field.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { useCommands } from '../ui/shortcuts.ts'
import { AddQuestion } from './add-question.tsx'
import { QuestionRows } from './question-rows.tsx'
import { editorPath, FAQ, inLanguage } from './texts.ts'
import { useDeleteQuestion } from './use-delete-question.ts'
import { useLanguage } from './use-language.ts'
import { useOrder } from './use-order.ts'
import './texts.css'

/** Lists the questions of the FAQ in their groups. Admins add, change, order, and delete them here. */
export function FaqPage() {
  const [lang, chooseLanguage] = useLanguage()
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const asked = new URLSearchParams(search).get('question')
  const [isAdding, setAdding] = useState(false)
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [...FAQ, lang],
    queryFn: ({ signal }) => callAsAdmin<Faq>(inLanguage(textPaths.faq, lang), { signal }),
    placeholderData: keepPreviousData,
  })

  useCommands([
    { label: 'Add question', icon: Plus, run: () => setAdding(true) },
    { label: 'Heading and groups', icon: Pencil, run: () => navigate(editorPath('faq', lang)) },
  ])

  function endAdding(): void {
    setAdding(false)
    if (asked !== null) navigate(inLanguage(pathname, lang), { replace: true })
  }

  return (
    <section className="dashboard-page">
      <PageHeading
        actions={
          <button type="button" className="button button-primary" onClick={() => setAdding(true)}>
            <Icon of={Plus} />
            Add question
          </button>
        }
      >
        FAQ
      </PageHeading>
      {isPending && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && (isAdding || asked !== null) && (
        <AddQuestion key={asked} question={asked ?? ''} groups={data.groups} onEnd={endAdding} />
      )}
      {data && (
        <>
          <div className="text-head">
            <div className="text-language">
              <LanguageField lang={lang} onChange={chooseLanguage} />
            </div>
            <div className="text-actions">
              <Link className="button button-s" to={editorPath('faq', lang)}>
                Heading and groups
              </Link>
              <ShippedList />
            </div>
          </div>
          <Questions key={lang} faq={data} lang={lang} />
        </>
      )}
    </section>
  )
}

function Questions({ faq, lang }: { faq: Faq; lang: string }) {
  const { items, announcement, move, drag, drop } = useOrder(faq, lang)
  const ids = useMemo(() => items.map(({ _id }) => _id), [items])
  const { ask, dialog } = useDeleteQuestion(ids)
  return (
    <>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      <QuestionRows
        groups={faq.groups}
        items={items}
        lang={lang}
        onMove={move}
        onDrag={drag}
        onDrop={drop}
        onDelete={({ _id }) => ask(_id)}
      />
      {dialog}
    </>
  )
}

/** Goes back to the list of this release. */
function ShippedList() {
  const queryClient = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  useCommands([{ label: 'Back to the shipped list', icon: RotateCcw, run: () => setAsking(true) }])

  async function reset(): Promise<void> {
    setBusy(true)
    try {
      await callAsAdmin<Faq>(textPaths.faqOrder, { method: 'DELETE' })
      await queryClient.invalidateQueries({ queryKey: FAQ })
      toast.success('Back to the shipped list')
    } catch (failure) {
      toast.error(errorMessage(failure))
    } finally {
      setBusy(false)
      setAsking(false)
    }
  }

  return (
    <>
      <button type="button" className="button button-s" onClick={() => setAsking(true)}>
        Back to the shipped list
      </button>
      {isAsking && (
        <ConfirmDialog
          title="Go back to the shipped list?"
          question="The questions have the order of this release again, and shipped questions that you deleted come back. Your own questions stay, last in their groups. No question changes its words."
          confirmLabel="Back to the shipped list"
          busy={isBusy}
          onConfirm={() => void reset()}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  )
}
