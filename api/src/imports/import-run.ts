import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { auditEntry } from '../audit/entry.ts'
import { createStoreSecret } from '../credentials/store-secret.ts'
import type { Storage } from '../storage/model/storage.ts'
import { readChatwoot } from './chatwoot.ts'
import { readCrisp } from './crisp.ts'
import type { ForeignConversation, ReadForeign, Source } from './foreign.ts'
import { createImportIds, type ImportIds } from './import-ids.ts'
import { createReplyImport } from './import-replies.ts'
import { readIntercom } from './intercom.ts'
import { type LeftOut, LeftOutList } from './left-out.ts'
import { type Planned, type PlanOptions, planConversation } from './plan-conversation.ts'
import { readSpreadsheet } from './spreadsheet.ts'

const READERS: Readonly<Record<Source, ReadForeign>> = {
  chatwoot: readChatwoot,
  intercom: readIntercom,
  crisp: readCrisp,
  csv: readSpreadsheet,
}

/** One write's conversations and messages, which takes SQLite a few milliseconds. */
const CONVERSATIONS_AT_ONCE = 100
const MESSAGES_AT_ONCE = 400
/** The pause after a write, in which a running server can write. */
const PAUSE_MS = 2
const ASK_EVERY_MS = 30_000

export interface ImportCounts {
  conversations: number
  messages: number
  notes: number
  people: number
  replies: number
}

export interface ImportResult extends ImportCounts {
  leftOut: LeftOut[]
}

export interface ImportOptions {
  storage: Storage
  source: Source
  file: string
  mode: 'import' | 'dry-run' | 'undo'
  now: number
  onProgress?: (counts: Readonly<ImportCounts>) => void
  /** Ends the import between two writes. */
  signal?: AbortSignal
}

/**
 * Imports a file, or removes what an import of it added. Repeating either changes nothing more, so an interrupted one is
 * resumed by running it again.
 * @throws ImportProblem when the file cannot be read
 */
export async function runImport(options: ImportOptions): Promise<ImportResult> {
  const { storage, source, file, mode, now, signal } = options
  const leftOut = new LeftOutList()
  const counts: ImportCounts = { conversations: 0, messages: 0, notes: 0, people: 0, replies: 0 }
  const ids = createImportIds(await secretOf(storage, mode !== 'import'), source)
  const replies = await createReplyImport({
    ...{ replies: storage.replies, ids, leftOut, now, isDryRun: mode === 'dry-run' },
  })
  const conversations =
    mode === 'undo'
      ? createRemoval(storage, ids, counts, leftOut)
      : createAdding(options, await planOptions(options, ids, leftOut), counts)
  const asking = createAsking(storage, mode !== 'dry-run')
  try {
    // A removal lists only what it keeps.
    const unread = mode === 'undo' ? new LeftOutList() : leftOut
    for await (const foreign of READERS[source](file, unread)) {
      signal?.throwIfAborted()
      if (foreign.kind === 'reply') {
        counts.replies += await replies[mode === 'undo' ? 'remove' : 'add'](foreign.reply)
      } else await conversations.take(foreign.conversation)
      await asking.regularly()
      options.onProgress?.(counts)
    }
    await conversations.end()
  } finally {
    await asking.now()
    if (mode !== 'dry-run' && (counts.conversations > 0 || counts.replies > 0)) {
      const action = mode === 'undo' ? 'import.undone' : 'import.ran'
      await storage.audit.append(auditEntry(null, action, { details: { from: source, ...counts } }))
    }
  }
  return { ...counts, leftOut: leftOut.list() }
}

/** Reads the secret of imports. A run that adds nothing makes none. */
async function secretOf({ documents }: Storage, isReadOnly: boolean): Promise<string> {
  const name = 'import-key'
  const make = () => randomBytes(32).toString('base64url')
  if (!isReadOnly) return createStoreSecret(documents, name, make)()
  return (await documents.read<string>(name))?.value ?? make()
}

async function planOptions(
  { storage, source, now }: ImportOptions,
  ids: ImportIds,
  leftOut: LeftOutList,
): Promise<PlanOptions> {
  const settings = (await storage.documents.read<{ retentionDays?: number | null }>('settings'))?.value
  const admins = new Map(
    (await storage.users.list()).flatMap(({ _id, email }) =>
      email === null ? [] : [[email.toLowerCase(), _id] as const],
    ),
  )
  return { source, ids, admins, retentionDays: settings?.retentionDays ?? null, now, leftOut }
}

interface Conversations {
  take(foreign: ForeignConversation): Promise<void>
  end(): Promise<void>
}

function createAdding(
  { storage: { imports }, mode }: Pick<ImportOptions, 'storage' | 'mode'>,
  options: PlanOptions,
  counts: ImportCounts,
): Conversations {
  const { leftOut } = options
  const people = new Set<string>()
  /** The nonces that a dry run would have stored. */
  const pretended = new Map<string, ReadonlySet<string>>()
  let batch = new Map<string, Planned>()
  let size = 0

  async function flush(): Promise<void> {
    const planned = batch
    batch = new Map()
    size = 0
    if (planned.size === 0) return
    const found = await imports.find([...planned.keys()])
    const missing: Planned[] = []
    for (const [clientId, plan] of planned) {
      const known = found.get(clientId)
      const nonces = known?.nonces ?? pretended.get(clientId)
      if (nonces === undefined) missing.push(plan)
      else if (known?.seq === 0) leftOut.add(plan.place, 'It was erased after an earlier import')
      else leaveOutNew(plan, nonces)
    }
    const added = new Set(
      mode === 'dry-run'
        ? pretend(missing)
        : await imports.add(missing.map(({ conversation }) => conversation)),
    )
    for (const { conversation, person } of missing) {
      if (!added.has(conversation.clientId)) continue
      counts.conversations += 1
      counts.messages += conversation.messages.length
      counts.notes += conversation.notes.length
      if (person !== null) people.add(person)
    }
    counts.people = people.size
    await wait(PAUSE_MS)
  }

  function pretend(plans: readonly Planned[]): string[] {
    return plans.map(({ conversation, places }) => {
      pretended.set(conversation.clientId, new Set(places.keys()))
      return conversation.clientId
    })
  }

  /** A conversation that is stored gets no more messages, because another one may already follow. */
  function leaveOutNew({ places }: Planned, stored: ReadonlySet<string>): void {
    for (const [nonce, place] of places)
      if (!stored.has(nonce))
        leftOut.add(place, 'It is new in a conversation that was imported before. Undo that import first')
  }

  return {
    async take(foreign) {
      const plan = planConversation(foreign, options)
      if (plan === null) return
      const { clientId, messages, notes } = plan.conversation
      if (batch.has(clientId)) await flush()
      batch.set(clientId, plan)
      size += messages.length + notes.length
      if (size >= MESSAGES_AT_ONCE || batch.size >= CONVERSATIONS_AT_ONCE) await flush()
    },
    end: flush,
  }
}

function createRemoval(
  { imports }: Pick<Storage, 'imports'>,
  ids: ImportIds,
  counts: ImportCounts,
  leftOut: LeftOutList,
): Conversations {
  const people = new Set<string>()
  return {
    async take({ id, place, name, email, personId }) {
      const clientId = ids.clientId(id)
      const found = (await imports.find([clientId])).get(clientId)
      const outcome = await imports.remove(clientId)
      if (outcome === 'changed') {
        const isErased = found?.seq === 0
        leftOut.add(
          place,
          isErased ? 'It was erased after the import' : 'It was changed after the import, so it stays',
        )
      }
      if (outcome !== 'removed') return
      const { seq = 0, nonces } = found ?? {}
      counts.conversations += 1
      counts.messages += seq
      counts.notes += (nonces?.size ?? 0) - seq
      if (name !== null || email !== null) people.add(personId ?? email?.trim().toLowerCase() ?? id)
      counts.people = people.size
    },
    async end() {},
  }
}

/** Asks for a comparison of the search index now and then, so that it has everything even if this process dies. */
function createAsking({ search }: Pick<Storage, 'search'>, isOn: boolean) {
  let askedAt = performance.now()
  const now = async () => {
    askedAt = performance.now()
    if (isOn) await search.askForComparison()
  }
  return {
    now,
    async regularly() {
      if (performance.now() - askedAt > ASK_EVERY_MS) await now()
    },
  }
}
