import { createLeaseWatch } from '../../jobs/lease-watch.ts'
import type { DocumentRepository } from '../../storage/model/documents.ts'

/** Another node that has seen no renewal for this long takes the mailbox over. */
const LEASE_MS = 30_000
const DOCUMENT = 'inbound'

/** How far the mailbox has been read. A new `uidValidity` makes all UIDs meaningless. */
export interface MailboxPosition {
  uidValidity: string
  uid: number
  /**
   * The mails that the mailbox already held when these UIDs were new; missing in positions that older releases stored.
   */
  stood?: {
    /** The UID of the last of these mails. */
    uid: number
    /** Whether the mailbox had never been read before. */
    isFirst: boolean
  }
}

interface Held {
  /** The mailbox position, which is stored under this name. */
  place: MailboxPosition | null
  node: string
  /**
   * The value 0 means that the node gave the lease back. Only nodes of older releases read any other value as a time.
   */
  until: number
}

/**
 * Keeps the right to read the mailbox and the position in one document, so that a node that lost the right cannot move
 * the position.
 * @param node the node's name; it stays the same after a restart if one process owns the store
 * @see docs/decisions/0104-two-runs-at-once.md
 */
export function createLease(
  documents: DocumentRepository,
  node: string,
  now: () => number,
  monotonic = () => performance.now(),
) {
  const overIn = createLeaseWatch(LEASE_MS, monotonic)
  let version = 0
  let position: MailboxPosition | null = null
  let last: Promise<unknown> = Promise.resolve()

  /** Writes run one after another, because each names the version that its predecessor stored. */
  function inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = last.then(write, write)
    last = written.catch(() => {})
    return written
  }

  async function write(next: MailboxPosition | null, until: number): Promise<boolean> {
    if (!(await documents.write<Held>(DOCUMENT, { place: next, node, until }, version))) return false
    version += 1
    position = next
    return true
  }

  return {
    get position() {
      return position
    },
    /** Takes the lease, or renews this node's own one. Resolves to false while another node reads. */
    take: (): Promise<boolean> =>
      inTurn(async () => {
        const found = await documents.read<Held>(DOCUMENT)
        const isOthers = found !== null && found.value.node !== node && found.value.until !== 0
        // Each of the other node's writes has a new version, so an unchanged version means no renewal.
        const isOver = overIn(isOthers ? [`${found.version}`] : []).length > 0
        if (isOthers && !isOver) return false
        version = found?.version ?? 0
        return write(found?.value.place ?? null, now() + LEASE_MS)
      }),
    /** Rejects with `LeaseLost` if another node has taken the lease in the meantime. */
    move: (next: MailboxPosition): Promise<void> =>
      inTurn(async () => {
        if (!(await write(next, now() + LEASE_MS))) throw new LeaseLost('Another node reads the mailbox.')
      }),
    release: (): Promise<void> =>
      inTurn(async () => {
        await write(position, 0)
      }),
  }
}

export type Lease = ReturnType<typeof createLease>

export class LeaseLost extends Error {}
