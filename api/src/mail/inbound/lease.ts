import { createLeaseWatch } from '../../jobs/lease-watch.ts'
import type { DocumentRepository } from '../../storage/model/documents.ts'

/** Other nodes that see no renewal for so long take the mailbox over. */
const LEASE_MS = 30_000
const DOCUMENT = 'inbound'

/** How far the mailbox was read. A new `uidValidity` makes all UIDs meaningless. */
export interface Place {
  uidValidity: string
  uid: number
  /** The mails that stood in the mailbox when these UIDs were new; missing in places of older releases. */
  stood?: {
    /** The last of them. */
    uid: number
    /** Whether the mailbox had never been read before. */
    isFirst: boolean
  }
}

interface Held {
  place: Place | null
  node: string
  /** 0: it is given back. Only nodes of older releases read another value, as a time. */
  until: number
}

/**
 * The right to read the mailbox, and the place, in one document: who lost the right cannot move the place.
 * @param node its name; the same after a restart where one process owns the store
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
  let place: Place | null = null
  let last: Promise<unknown> = Promise.resolve()

  /** One write after another: each names the version that the one before stored. */
  function inTurn<T>(write: () => Promise<T>): Promise<T> {
    const written = last.then(write, write)
    last = written.catch(() => {})
    return written
  }

  async function write(next: Place | null, until: number): Promise<boolean> {
    if (!(await documents.write<Held>(DOCUMENT, { place: next, node, until }, version))) return false
    version += 1
    place = next
    return true
  }

  return {
    get place() {
      return place
    },
    /** False while another node reads. Also renews the own lease. */
    take: (): Promise<boolean> =>
      inTurn(async () => {
        const found = await documents.read<Held>(DOCUMENT)
        const isOthers = found !== null && found.value.node !== node && found.value.until !== 0
        // Each write of the other node has a version of its own.
        const isOver = overIn(isOthers ? [`${found.version}`] : []).length > 0
        if (isOthers && !isOver) return false
        version = found?.version ?? 0
        return write(found?.value.place ?? null, now() + LEASE_MS)
      }),
    /** Rejects when another node has taken the lease meanwhile. */
    move: (next: Place): Promise<void> =>
      inTurn(async () => {
        if (!(await write(next, now() + LEASE_MS))) throw new LeaseLost('Another node reads the mailbox.')
      }),
    release: (): Promise<void> =>
      inTurn(async () => {
        await write(place, 0)
      }),
  }
}

export type Lease = ReturnType<typeof createLease>

export class LeaseLost extends Error {}
