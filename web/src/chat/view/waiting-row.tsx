import type { Conversation, PendingMessage } from '../engine/types.ts'
import { loadFiles } from './load-files.ts'
import { useLoaded } from './use-loaded.ts'
import { useViewLanguage } from './view-language.ts'

export interface WaitingRow {
  nonce: string
  text: string
  author: string
  mine: true
  waiting: PendingMessage['state']
  reason: string | null
  files: PendingMessage['files']
  progress: number | undefined
  conversation: Conversation
}

/** Shows the state below a message without files that is not stored. */
export function WaitingLine(props: WaitingRow) {
  const { words } = useViewLanguage()
  const { waiting, reason } = props
  const isStopped = waiting !== 'sending'
  const module = useLoaded(loadFiles, isStopped)
  if (module && isStopped) return <module.Stopped {...props} />
  return <p className="chat-meta">{isStopped ? reason : `${words.sending} ${reason ?? ''}`}</p>
}
