import { X } from 'virtual:icons'
import { ATTACHMENTS_MAX } from '@proctorpass/shared/limits'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { Icon } from '../../../components/icon.tsx'
import { fileSize } from '../../../lib/file-size.ts'
import { listen } from '../../../lib/listen.ts'
import type { PendingAttachment } from '../../engine/attachments.ts'
import { fill } from '../../language/fill.ts'
import { useViewLanguage } from '../view-language.ts'
import type { AttachmentDraft } from './draft.ts'
import { useObjectUrl } from './object-url.ts'
import { useAttachmentWords } from './words.ts'
import './attachments.css'

/** Keys that write no text. */
const SILENT_KEYS = ['Shift', 'Control', 'Alt', 'Meta', 'Tab']

interface TrayProps {
  draft: AttachmentDraft
  notice: string
  /** Returns the element on which files can be dropped. */
  zone: () => Element | null
  /** Opens the picker. */
  onChoose: () => void
  /** Called when the button that has the focus disappears. */
  onFocusLost: () => void
}

/** Shows the files of a message that is being written, or the notice before the first file. */
export function Tray({ draft, notice, zone, onChoose, onFocusLost }: TrayProps) {
  const words = useAttachmentWords()
  const { locale } = useViewLanguage()
  const { files, busy, problems, asking } = useStore(draft.store)
  useDropMark(zone, words.drop)
  const tray = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const form = tray.current?.closest('form')
    if (!form) return
    return listen(form, ['keydown', 'input'], (event) => {
      if (!('key' in event && SILENT_KEYS.includes(event.key))) draft.dismissProblems()
    })
  }, [draft])
  const problemText = (found: (typeof problems)[number]) =>
    fill(words[found.kind === 'HEIC' ? 'convertHeic' : found.problem], {
      ...found,
      max: ATTACHMENTS_MAX.toLocaleString(locale),
    })
  return (
    <div className="file-tray" ref={tray}>
      {asking && <Notice draft={draft} notice={notice} onChoose={onChoose} onFocusLost={onFocusLost} />}
      {files.length > 0 && (
        <ul className="file-tray-list" aria-label={words.list} aria-busy={busy}>
          {files.map((file) => (
            <li key={file.nonce}>
              <Thumbnail file={file} draft={draft} />
              <span className="file-tray-name" title={file.name}>
                <bdi>{file.name}</bdi>
              </span>
              <bdi className="file-tray-size">{fileSize(file.bytes)}</bdi>
              <button
                type="button"
                className="file-tray-remove"
                aria-label={fill(words.remove, file)}
                onClick={() => {
                  onFocusLost()
                  draft.remove(file.nonce)
                }}
              >
                <Icon of={X} large />
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="file-tray-problem" role="alert">
        {problems.length > 0 && [...new Set(problems.map(problemText))].join(' ')}
      </p>
    </div>
  )
}

function Notice({ draft, notice, onChoose, onFocusLost }: Omit<TrayProps, 'zone'>) {
  const words = useAttachmentWords()
  const id = useId()
  const [isWaiting] = useState(() => draft.isWaiting())
  const agree = useRef<HTMLButtonElement>(null)
  useEffect(() => agree.current?.focus(), [])
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as a form
    <div className="file-notice" role="group" aria-label={words.notice} aria-describedby={id}>
      <p id={id}>{notice}</p>
      <button
        ref={agree}
        type="button"
        className="link-button"
        aria-describedby={id}
        onClick={() => {
          onFocusLost()
          if (!draft.agree(notice)) onChoose()
        }}
      >
        {isWaiting ? words.agree : words.choose}
      </button>
      <button
        type="button"
        className="link-button"
        onClick={() => {
          onFocusLost()
          draft.refuse()
        }}
      >
        {words.cancel}
      </button>
    </div>
  )
}

function Thumbnail({ file, draft }: { file: PendingAttachment; draft: AttachmentDraft }) {
  const [url, setBytes] = useObjectUrl()
  const { nonce, width } = file
  useEffect(() => {
    if (width !== undefined) draft.bytesOf(nonce).then(setBytes, () => {})
  }, [draft, nonce, width, setBytes])
  return (
    <span className="file-thumbnail" aria-hidden="true">
      {width === undefined ? 'PDF' : url && <img src={url} alt="" />}
    </span>
  )
}

/** Marks the zone while files are dragged over it. */
function useDropMark(zone: () => Element | null, text: string): void {
  const mark = useEffectEvent((event: DragEvent) => {
    const element = zone()
    const isOver =
      event.type === 'dragover' &&
      event.dataTransfer?.types.includes('Files') &&
      element?.contains(event.target as Node)
    if (isOver) element?.setAttribute('data-drop', text)
    else element?.removeAttribute('data-drop')
  })
  useEffect(() => listen(document, ['dragover', 'dragleave', 'drop'], (event) => mark(event)), [])
}
