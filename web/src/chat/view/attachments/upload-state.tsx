import { useRef } from 'react'
import { fill } from '../../language/fill.ts'
import { Stopped, useFocusKept } from '../stopped.tsx'
import { useViewLanguage } from '../view-language.ts'
import type { WaitingRow } from '../waiting-row.tsx'
import { useAttachmentWords } from './words.ts'

/** Shows, below a message with files that is not stored, how far its upload is, and what its writer can do. */
export function UploadState(props: WaitingRow) {
  const words = useAttachmentWords()
  const { waiting, files = [], nonce, reason, conversation } = props
  if (waiting === 'sending') return <Uploading {...props} />
  return (
    <Stopped {...props} reason={reason ?? (waiting === 'canceled' ? words.canceled : null)}>
      {waiting === 'refused' &&
        files
          .filter(({ refused }) => refused)
          .map((file) => (
            <button
              key={file.nonce}
              type="button"
              className="link-button"
              onClick={() => conversation.retry(nonce, file.nonce)}
            >
              {fill(words.without, file)}
            </button>
          ))}
    </Stopped>
  )
}

function Uploading({ nonce, reason, progress, conversation }: WaitingRow) {
  const words = useAttachmentWords()
  const { words: view, locale } = useViewLanguage()
  const part = useRef<HTMLDivElement>(null)
  useFocusKept(part)
  return (
    <div ref={part} className="upload-state">
      {progress !== undefined && <progress aria-label={words.progress} value={progress} max={1} />}
      <p className="chat-meta">
        {progress === undefined
          ? view.sending
          : fill(words.uploading, { percent: progress.toLocaleString(locale, { style: 'percent' }) })}{' '}
        {reason}
      </p>
      <button type="button" className="link-button" onClick={() => conversation.cancel(nonce)}>
        {words.cancel}
      </button>
    </div>
  )
}
