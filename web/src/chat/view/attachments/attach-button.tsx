import { Paperclip } from 'virtual:icons'
import inEnglish from 'virtual:words/attach'
import type { AttachmentType } from '@proctorpass/shared/schemas/attachment'
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { readStorage } from '../../../lib/browser-storage.ts'
import { listen } from '../../../lib/listen.ts'
import { reloadOutdatedPage } from '../../../lib/outdated-page.ts'
import type { Conversation } from '../../engine/types.ts'
import type { AttachedFiles } from '../use-attach.tsx'
import { useViewLanguage } from '../view-language.ts'
import './attach-button.css'

const ATTACHMENT_TYPES: readonly AttachmentType[] = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'application/pdf',
]
/** The area on which files can be dropped. */
const ZONE = '.chat-panel, .conversation'

interface AttachButtonProps {
  openAttachments: Conversation['openAttachments']
  /** The notice that a visitor agrees to before the first file; empty if there is none. */
  notice: string
  /** The text's draft key. */
  draftKey: string
  ref: Ref<AttachedFiles>
}

type LoadedTray = Awaited<ReturnType<typeof loadTray>>

async function loadTray(key: string, openAttachments: AttachButtonProps['openAttachments']) {
  const [{ Tray, openDraft }, files] = await Promise.all([import('./loaded.ts'), openAttachments()])
  return { Tray, draft: openDraft(key, files) }
}

/**
 * Attaches files by its button in a message box, by paste, and by drop. The tray shows the chosen files, and is loaded
 * on first use.
 */
export function AttachButton({ openAttachments, notice, draftKey, ref }: AttachButtonProps) {
  const key = `${draftKey}:files`
  const words = useViewLanguage().others?.attach ?? inEnglish
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [tray, setTray] = useState<LoadedTray | null>(null)
  const [failed, setFailed] = useState(false)
  /** Files that were chosen and are not in the tray yet. */
  const waiting = useRef<File[]>([])
  const zone = () => input.current?.closest(ZONE) ?? null
  const choose = () => input.current?.click()

  useImperativeHandle(ref, () => ({
    files() {
      const state = tray?.draft.store.getState()
      const isLoading = !failed && waiting.current.length > 0
      return isLoading || state?.busy ? words.wait : (state?.files ?? [])
    },
    clear: () => tray?.draft.clear(),
  }))

  async function load(): Promise<LoadedTray['draft'] | null> {
    try {
      const loaded = tray ?? (await loadTray(key, openAttachments))
      setTray(loaded)
      setFailed(false)
      const files = waiting.current.splice(0)
      if (files.length > 0) void loaded.draft.add(files, notice)
      return loaded.draft
    } catch {
      // After an update the server no longer has this page's scripts. Files that were chosen must be chosen again.
      if (failed) await reloadOutdatedPage()
      setFailed(true)
      return null
    }
  }
  function add(list: FileList | null): void {
    // The list becomes empty once its event is over, so its files are copied now.
    waiting.current.push(...(list ?? []))
    if (waiting.current.length > 0) void load()
  }

  const restore = useEffectEvent(() => {
    if (readStorage(key, 'sessionStorage') !== null) void load()
  })
  const handlePaste = useEffectEvent((event: ClipboardEvent) => {
    const { clipboardData, target } = event
    if (!clipboardData || !input.current?.form?.contains(target as Node)) return
    // Office programs also put an image of the text on the clipboard.
    if (clipboardData.files.length === 0 || clipboardData.types.includes('text/plain')) return
    event.preventDefault()
    add(clipboardData.files)
  })
  /** Handles a drag, because the browser would otherwise leave the page for a dropped file. */
  const handleDrag = useEffectEvent((event: DragEvent) => {
    const { dataTransfer, target, type } = event
    if (!dataTransfer?.types.includes('Files') || !zone()?.contains(target as Node)) return
    event.preventDefault()
    if (type === 'drop') add(dataTransfer.files)
    else if (!tray) void load()
  })
  useEffect(() => {
    restore()
  }, [])
  useEffect(() => listen(document, ['paste'], (event) => handlePaste(event)), [])
  useEffect(() => listen(document, ['dragover', 'drop'], (event) => handleDrag(event)), [])

  return (
    <>
      {tray && (
        <tray.Tray
          draft={tray.draft}
          notice={notice}
          zone={zone}
          onChoose={choose}
          onFocusLost={() => button.current?.focus()}
        />
      )}
      {failed && (
        <p className="chat-attach-failed" role="alert">
          {words.loadFailed}
        </p>
      )}
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={ATTACHMENT_TYPES.join()}
        onChange={({ currentTarget }) => {
          add(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      <button
        ref={button}
        type="button"
        className="chat-attach"
        aria-label={words.name}
        title={words.name}
        onClick={async () => {
          if (waiting.current.length > 0) void load()
          else if (notice === '' || (await load())?.mayChoose(notice)) choose()
        }}
      >
        <Icon of={Paperclip} large />
      </button>
    </>
  )
}
