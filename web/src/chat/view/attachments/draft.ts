import { ATTACHMENTS_MAX } from '@proctorpass/shared/limits'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import type { ConversationAttachments, PendingAttachment } from '../../engine/attachments.ts'
import { newNonce } from '../../engine/outbox.ts'
import { createSignal } from '../../engine/signal.ts'
import { type CheckedFile, checkFile } from './check-file.ts'

/** In localStorage: the notice that the visitor has agreed to. */
const AGREED_KEY = 'chat:files-notice'

interface DraftState {
  files: readonly PendingAttachment[]
  /** Files are read and stored. */
  busy: boolean
  /** Errors of the files that were chosen last. */
  problems: readonly Extract<CheckedFile, { problem: unknown }>[]
  /** The visitor is shown the notice; `agree` goes on. */
  asking: boolean
}

/** The files of a message that is being written. They survive a reload, as its text does. */
export type AttachmentDraft = ReturnType<typeof createDraft>

const drafts = new Map<string, AttachmentDraft>()

/** One for each key. */
export function openDraft(key: string, files: ConversationAttachments): AttachmentDraft {
  const draft = drafts.get(key) ?? createDraft(key, files)
  drafts.set(key, draft)
  return draft
}

function createDraft(key: string, kept: ConversationAttachments) {
  const changed = createSignal()
  let state: DraftState = { files: read(key), busy: false, problems: [], asking: false }
  /** Chosen before the visitor agreed. */
  let waiting: File[] = []
  let underWay = 0
  /** The notice that the visitor has agreed to on this page, which may have no storage. */
  let agreedTo: string | null = null

  function change(next: Partial<DraftState>) {
    if (next.files) {
      const value = next.files.length === 0 ? null : JSON.stringify(next.files)
      // Of this tab: two tabs that send one draft would send its files twice.
      writeStorage(key, value, 'sessionStorage')
    }
    state = { ...state, ...next }
    changed.emit()
  }

  /** Whether the notice needs no answer. */
  function agreed(notice: string): boolean {
    return notice === '' || notice === agreedTo || notice === readStorage(AGREED_KEY)
  }

  async function addOne(file: File): Promise<DraftState['problems'][number] | null> {
    if (state.files.length >= ATTACHMENTS_MAX) return { name: file.name, problem: 'tooMany' }
    const checked = await checkFile(file)
    if ('problem' in checked) return checked
    const nonce = newNonce()
    const { content, ...shown } = checked
    try {
      await kept.keep(nonce, content)
    } catch {
      return { name: shown.name, problem: 'noRoom' }
    }
    change({ files: [...state.files, { nonce, ...shown }] })
    return null
  }

  async function add(files: readonly File[]): Promise<void> {
    underWay++
    change({ busy: true, problems: [] })
    for (const file of files) {
      const problem = await addOne(file)
      if (problem !== null) change({ problems: [...state.problems, problem] })
    }
    underWay--
    change({ busy: underWay > 0 })
  }

  return {
    getState: () => state,
    subscribe: changed.on,
    bytesOf: kept.kept,
    /** Adds files, once the visitor has agreed to the notice. */
    async add(files: readonly File[], notice: string): Promise<void> {
      if (agreed(notice)) return add(files)
      waiting = [...waiting, ...files]
      change({ asking: true })
    },
    /** Whether the picker may open; else the notice is shown first. */
    mayChoose(notice: string): boolean {
      const may = agreed(notice)
      if (!may) change({ asking: true })
      return may
    },
    isWaiting: () => waiting.length > 0,
    /** Whether files waited for it: without any, the picker is next. */
    agree(notice: string): boolean {
      agreedTo = notice
      writeStorage(AGREED_KEY, notice)
      const files = waiting
      waiting = []
      change({ asking: false })
      if (files.length > 0) void add(files)
      return files.length > 0
    },
    refuse() {
      waiting = []
      change({ asking: false })
    },
    dismissProblems() {
      if (state.problems.length > 0) change({ problems: [] })
    },
    remove(nonce: string) {
      change({ files: state.files.filter((file) => file.nonce !== nonce), problems: [] })
      void kept.forget([nonce]).catch(() => {})
    },
    /** The files are in the outbox, and so are their bytes. */
    clear() {
      change({ files: [], problems: [] })
    },
  }
}

function read(key: string): PendingAttachment[] {
  try {
    const files: unknown = JSON.parse(readStorage(key, 'sessionStorage') ?? '[]')
    return Array.isArray(files) ? files : []
  } catch {
    return []
  }
}
