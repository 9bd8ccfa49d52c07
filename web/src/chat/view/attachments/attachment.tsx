import { type RefObject, useEffect, useRef, useState } from 'react'
import { fileSize } from '../../../lib/file-size.ts'
import { saveFile } from '../../../lib/save-file.ts'
import type { Conversation } from '../../engine/types.ts'
import { fill } from '../../language/fill.ts'
import type { AttachmentViewProps } from '../shown-attachment.ts'
import { Lightbox } from './lightbox.tsx'
import { useObjectUrl } from './object-url.ts'
import { useAttachmentWords } from './words.ts'

import './attachments.css'

/** Images outside the screen are loaded when they are nearer to it than this. */
const NEAR_PX = 400

/** Shows one of a message's files. Its bytes are private, so they are fetched with the reader's credential. */
export function AttachmentView(props: AttachmentViewProps) {
  return props.file.width === undefined ? <AttachmentRow {...props} /> : <ImagePreview {...props} />
}

async function bytesOf(conversation: Conversation, id?: string, nonce = ''): Promise<Blob> {
  const files = await conversation.openAttachments()
  const bytes = await (id === undefined ? files.kept(nonce) : files.load(id))
  if (!bytes) throw new Error('The file is gone.')
  return bytes
}

function ImagePreview(props: AttachmentViewProps) {
  const words = useAttachmentWords()
  const { file, conversation } = props
  const { _id, nonce, name, width, height } = file
  const button = useRef<HTMLButtonElement>(null)
  const isNear = useIsNear(button)
  const [attempt, setAttempt] = useState(0)
  const [url, setBytes] = useObjectUrl()
  const [failed, setFailed] = useState(false)
  const [open, setOpen] = useState(false)

  useEffect(() => {
    if (!isNear) return
    let isGone = false
    bytesOf(conversation, _id, nonce).then(
      (bytes) => {
        if (!isGone) setBytes(bytes)
      },
      () => !isGone && setFailed(true),
    )
    return () => {
      isGone = true
    }
  }, [_id, nonce, conversation, isNear, attempt, setBytes])

  if (failed && url === null) {
    return (
      <button
        type="button"
        className="file-failed"
        onClick={() => {
          setFailed(false)
          setAttempt(attempt + 1)
        }}
      >
        <bdi>{name}</bdi>
        <span>{words.failed}</span>
        <span className="file-again">{words.tryAgain}</span>
      </button>
    )
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="file-image"
        aria-label={fill(words.open, file)}
        aria-haspopup="dialog"
        aria-disabled={url === null}
        onClick={() => setOpen(url !== null)}
      >
        {url !== null && <img src={url} alt={name} width={width} height={height} draggable={false} />}
      </button>
      {open && url !== null && <Lightbox url={url} file={file} onClose={() => setOpen(false)} />}
    </>
  )
}

function AttachmentRow({ file, conversation }: AttachmentViewProps) {
  const words = useAttachmentWords()
  const { _id, nonce, name, bytes } = file
  const [state, setState] = useState<'ready' | 'loading' | 'failed'>('ready')

  async function download() {
    setState('loading')
    try {
      saveFile(await bytesOf(conversation, _id, nonce), name)
      setState('ready')
    } catch {
      setState('failed')
    }
  }

  return (
    <button type="button" className="file-row" aria-busy={state === 'loading'} onClick={download}>
      <span className="file-kind" aria-hidden="true" />
      <span className="visually-hidden">{words.save} </span>
      <bdi className="file-name" title={name}>
        {name}
      </bdi>
      <span className="file-size" role="status">
        {state === 'failed' ? (
          <>
            {words.failed} <span className="file-again">{words.tryAgain}</span>
          </>
        ) : (
          <bdi>{fileSize(bytes)}</bdi>
        )}
      </span>
    </button>
  )
}

/** Returns true once the element has come near the screen. */
function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(() => typeof IntersectionObserver === 'undefined')
  useEffect(() => {
    if (isNear || !element.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && setIsNear(true),
      { rootMargin: `${NEAR_PX}px` },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isNear])
  return isNear
}
