import type { SavedQuestion } from '@proctorpass/shared/schemas/faq'
import { textPaths } from '@proctorpass/shared/text-paths'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { useUndo } from '../chats/changes/use-undo.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { FAQ, TEXTS } from './texts.ts'

const NOTICE = 'Question deleted'

/** Asks, deletes a question, and offers Undo. `ids` are those of the shown questions. */
export function useDeleteQuestion(ids: readonly string[]): { ask: (id: string) => void; dialog: ReactNode } {
  const queryClient = useQueryClient()
  const undo = useUndo()
  const asked = useRef('')
  /** The question that gets the focus once it is on the page. */
  const next = useRef<string | null>(null)
  useEffect(() => {
    const row = next.current !== null && document.querySelector(`[data-question="${next.current}"]`)
    if (!row) return
    next.current = null
    row.querySelector<HTMLElement>('.question-tools > :last-child')?.focus()
  }, [ids])

  const refresh = () =>
    Promise.all([FAQ, TEXTS].map((queryKey) => queryClient.invalidateQueries({ queryKey })))

  async function restore(id: string): Promise<void> {
    try {
      await callAsAdmin<SavedQuestion>(textPaths.restoreQuestion(id), { method: 'POST' })
      next.current = id
      await refresh()
      undo.notify('success', `Undone: ${NOTICE}`)
    } catch (failure) {
      toast.error(errorMessage(failure))
    }
  }

  const { ask, dialog } = useDelete({
    title: 'Delete this question?',
    question: 'It leaves the FAQ in all languages. You can undo this for an hour. Then its history ends.',
    list: FAQ,
    notice: NOTICE,
    notify(notice) {
      const id = asked.current
      const { run } = undo.offer(Promise.resolve(() => restore(id)))
      undo.notify('success', notice, run)
    },
    onDeleted() {
      const at = ids.indexOf(asked.current)
      next.current = ids[at + 1] ?? ids[at - 1] ?? null
      void queryClient.invalidateQueries({ queryKey: TEXTS })
    },
  })
  return {
    ask(id) {
      asked.current = id
      ask(textPaths.question(id))
    },
    dialog,
  }
}
