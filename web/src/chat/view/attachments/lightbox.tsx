import { X } from 'virtual:icons'
import { useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Icon } from '../../../components/icon.tsx'
import { listen } from '../../../lib/listen.ts'
import type { ShownAttachment } from '../shown-attachment.ts'
import { useAttachmentWords } from './words.ts'

/** A modal with the whole image. */
export function Lightbox({
  url,
  file,
  onClose,
}: {
  url: string
  file: ShownAttachment
  onClose: () => void
}) {
  const words = useAttachmentWords()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  // The panel and the dashboard also listen for Escape. The browser turns the key into `cancel`.
  useEffect(() => {
    const stop = (event: KeyboardEvent) => event.key === 'Escape' && event.stopImmediatePropagation()
    return listen(window, ['keydown'], stop, { capture: true })
  }, [])
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape and the button close it too
    <dialog
      ref={dialog}
      className="lightbox"
      aria-label={file.name}
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <div className="lightbox-head">
        <p>
          <bdi>{file.name}</bdi>
        </p>
        <a href={url} download={file.name}>
          {words.save}
        </a>
        <button type="button" aria-label={words.close} onClick={() => dialog.current?.close()}>
          <Icon of={X} large />
        </button>
      </div>
      <img className="lightbox-image" src={url} alt={file.name} width={file.width} height={file.height} />
    </dialog>,
    document.body,
  )
}
