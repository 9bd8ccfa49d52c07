import type { Done } from '@proctorpass/shared/schemas/list'
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { ConfirmDialog } from './dialog.tsx'

interface DeleteOptions {
  title: string
  question: string
  confirmLabel?: string
  /** The list to refetch after the deletion. */
  list: QueryKey
  /** Receives the deleted path. */
  onDeleted?: (path: string) => void
  /** The notice if the server answers without one. */
  notice?: string
  /** Shows the notice in another way, such as with Undo. */
  notify?: (notice: string, path: string) => void
}

/** Asks, deletes a path of the API, shows the result, and refetches the list. */
export function useDelete({
  title,
  question,
  confirmLabel = 'Delete',
  list,
  onDeleted,
  notice = 'Deleted',
  notify = (text) => toast.success(text),
}: DeleteOptions): {
  ask: (path: string) => void
  dialog: ReactNode
} {
  const queryClient = useQueryClient()
  const [path, setPath] = useState<string | null>(null)
  const { mutate, isPending } = useMutation({
    mutationFn: (target: string) => callAsAdmin<Done | undefined>(target, { method: 'DELETE' }),
    onSuccess: (done, deleted) => {
      notify(done?.message ?? notice, deleted)
      onDeleted?.(deleted)
      return queryClient.invalidateQueries({ queryKey: list })
    },
    onError: (error) => toast.error(errorMessage(error, 'Something went wrong!!')),
    onSettled: () => setPath(null),
  })
  return {
    ask: setPath,
    dialog: path !== null && (
      <ConfirmDialog
        title={title}
        question={question}
        confirmLabel={confirmLabel}
        busy={isPending}
        onConfirm={() => mutate(path)}
        onCancel={() => setPath(null)}
      />
    ),
  }
}
