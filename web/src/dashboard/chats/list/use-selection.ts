import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'

export type Selection = ReturnType<typeof useSelection>

/** Returns the conversations in a list that the admin has chosen. */
export function useSelection(rows: readonly ConversationSummary[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string | null>(null)
  const shown = useRef(rows)
  useEffect(() => {
    shown.current = rows
  }, [rows])

  // The function is stable, so that a change renders only the rows that it concerns.
  const toggle = useCallback((clientId: string, isRange: boolean) => {
    const ids = shown.current.map((row) => row.clientId)
    const [to, from] = [ids.indexOf(clientId), isRange ? ids.indexOf(last.current ?? '') : -1]
    const range = from < 0 ? [clientId] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
    last.current = clientId
    setChosen((before) => {
      const after = new Set(before)
      for (const id of range) {
        if (before.has(clientId)) after.delete(id)
        else after.add(id)
      }
      return after
    })
  }, [])

  const selected = useMemo(
    () => (chosen.size === 0 ? [] : rows.filter(({ clientId }) => chosen.has(clientId))),
    [rows, chosen],
  )
  return {
    /** The chosen conversations that are still listed. */
    selected,
    has: (clientId: string): boolean => chosen.has(clientId),
    /** Chooses or unchooses a conversation. A range starts at the conversation that was chosen last. */
    toggle,
    selectAll: (): void => setChosen(new Set(rows.map(({ clientId }) => clientId))),
    clear: (): void => setChosen(new Set()),
  }
}
