import { useMemo } from 'react'
import { useLocation } from 'react-router-dom'
import type { JumpTarget } from '../../chat/view/use-jump.ts'
import { toast } from '../../components/toast.ts'

/** The message that the address names, such as `?seq=12`. */
export function useJumpTarget(): JumpTarget | null {
  const { search, key } = useLocation()
  return useMemo(() => {
    const seq = Number(new URLSearchParams(search).get('seq'))
    if (!Number.isSafeInteger(seq) || seq < 1) return null
    return { seq, key, onMissing: () => toast.error("This message isn't here anymore") }
  }, [search, key])
}
