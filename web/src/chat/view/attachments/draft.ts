import { ATTACHMENTS_MAX } from '@proctorpass/shared/limits'
import { createStore } from 'zustand'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import type { ConversationAttachments, PendingAttachment } from '../../engine/attachments.ts'
import { newNonce } from '../../engine/outbox.ts'
import { type CheckedFile, checkFile } from './check-file.ts'

/** The localStorage key for the notice that the visitor has agreed to. */
const AGREED_KEY = 'chat:files-notice'

interface DraftState {
  files: readonly PendingAttachment[]
  /** Whether files are being read and stored. */
  busy: boolean
  /** The errors of the files that were chosen last. */
  problems: readonly Extract<CheckedFile, { problem: unknown }>[]
  /** Whether the visitor is shown the notice. `agree` continues. */
  asking: boolean
}

/** The files of a message that is being written. They survive a reload, as its text does. */
export type AttachmentDraft = ReturnType<typeof createDraft>

const drafts = new Map<string, AttachmentDraft>()

/** Returns the draft under this key, always the same one. */
export function openDraft(key: string, files: ConversationAttachments): AttachmentDraft {
  const draft = drafts.get(key) ?? createDraft(key, files)
  drafts.set(key, draft)
  return draft
}

function createDraft(key: string, kept: ConversationAttachments) {
  const store = createStore<DraftState>(() => ({
    files: readFiles(key),
    busy: false,
    problems: [],
    asking: false,
  }))
  const { getState, setState } = store
  /** The files that were chosen before the visitor agreed. */
  let waiting: File[] = []
  let underWay = 0
  /** The notice that the visitor has agreed to on this page, which may have no storage. */
  let agreedTo: string | null = null

  function setFiles(files: DraftState['files']) {
    // Each tab stores its own files, because two tabs that send one draft would send its files twice.
    writeStorage(key, files.length === 0 ? null : JSON.stringify(files), 'sessionStorage')
    setState({ files })
  }

  /** Whether the notice needs no answer. */
  function agreed(notice: string): boolean {
    return notice === '' || notice === agreedTo || notice === readStorage(AGREED_KEY)
  }

  async function addOne(file: File): Promise<DraftState['problems'][number] | null> {
    if (getState().files.length >= ATTACHMENTS_MAX) return { name: file.name, problem: 'tooMany' }
    const checked = await checkFile(file)
    if ('problem' in checked) return checked
    const nonce = newNonce()
    const { content, ...shown } = checked
    try {
      await kept.keep(nonce, content)
    } catch {
      return { name: shown.name, problem: 'noRoom' }
    }
    setFiles([...getState().files, { nonce, ...shown }])
    return null
  }

  async function add(files: readonly File[]): Promise<void> {
    underWay++
    setState({ busy: true, problems: [] })
    for (const file of files) {
      const problem = await addOne(file)
      if (problem !== null) setState(({ problems }) => ({ problems: [...problems, problem] }))
    }
    underWay--
    setState({ busy: underWay > 0 })
  }

  return {
    store,
    bytesOf: kept.kept,
    /** Adds files, once the visitor has agreed to the notice. */
    async add(files: readonly File[], notice: string): Promise<void> {
      if (agreed(notice)) return add(files)
      waiting = [...waiting, ...files]
      setState({ asking: true })
    },
    /** Returns whether the picker may open. If not, the notice is shown first. */
    mayChoose(notice: string): boolean {
      const may = agreed(notice)
      if (!may) setState({ asking: true })
      return may
    },
    isWaiting: () => waiting.length > 0,
    /** Returns whether files waited for the visitor's agreement. If none did, the picker opens next. */
    agree(notice: string): boolean {
      agreedTo = notice
      writeStorage(AGREED_KEY, notice)
      const files = waiting
      waiting = []
      setState({ asking: false })
      if (files.length > 0) void add(files)
      return files.length > 0
    },
    refuse() {
      waiting = []
      setState({ asking: false })
    },
    dismissProblems() {
      if (getState().problems.length > 0) setState({ problems: [] })
    },
    remove(nonce: string) {
      setFiles(getState().files.filter((file) => file.nonce !== nonce))
      setState({ problems: [] })
      void kept.forget([nonce]).catch(() => {})
    },
    /** Call this when the files and their bytes are in the outbox. */
    clear() {
      setFiles([])
      setState({ problems: [] })
    },
  }
}

function readFiles(key: string): PendingAttachment[] {
  try {
    const files: unknown = JSON.parse(readStorage(key, 'sessionStorage') ?? '[]')
    return Array.isArray(files) ? files : []
  } catch {
    return []
  }
}
