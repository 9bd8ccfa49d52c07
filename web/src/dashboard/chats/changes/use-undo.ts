import { toast } from '../../../components/toast.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'

/** Notices with this ID replace each other. */
const NOTICE = 'inbox-change'

/** Takes a stored change back and says so. */
type TakeBack = () => Promise<void>

/** Makes the inbox's last change the one that Undo takes back, and shows its notice. */
export function useUndo() {
  const { undo } = useAdminChat()

  function notify(kind: 'success' | 'warning', text: string, onUndo?: () => void): void {
    undo.endNotice = endNotice
    toast[kind](text, { id: NOTICE, ...(onUndo && { action: { label: 'Undo', onClick: onUndo } }) })
  }

  /**
   * Makes Undo take this change back. If the server has not answered yet, Undo waits for `stored`, which resolves to null
   * when nothing was stored.
   */
  function offer(stored: Promise<TakeBack | null>) {
    const previous = undo.current
    const run = async () => {
      undo.current = null
      const takeBack = await stored
      if (takeBack === null) toast.info('Nothing to undo')
      else await takeBack()
    }
    undo.current = run
    return {
      run,
      isUsed: () => undo.current === null,
      /** Offers the previous change's Undo again, unless a later change has replaced this one. */
      withdraw(): void {
        if (undo.current === run) undo.current = previous
      },
    }
  }

  return { notify, offer }
}

/** A notice was shown before, so its code is already loaded. */
async function endNotice(): Promise<void> {
  const { endToast } = await import('../../../components/toaster.tsx')
  endToast(NOTICE)
}
