import type { Counts } from '@proctorpass/shared/schemas/inbox'
import { Counter, Gauge, type Registry } from 'prom-client'
import { VERSION } from '../installation.ts'
import type { DiskSpace } from '../limits/disk-space.ts'

interface CacheReads {
  hits: number
  misses: number
}

/** State that is read at each scrape. */
export interface ObservedState {
  sockets: () => { visitor: number; admin: number }
  connections: () => { open: number; waitingBytes: number; closed: Readonly<Record<string, number>> }
  /** Rejects when the store does not answer in time. */
  pingStore: () => Promise<void>
  caches: { list: CacheReads; page?: CacheReads }
  /** Rejects when the store does not answer. */
  countConversations: () => Promise<Pick<Counts, 'open' | 'snoozed' | 'resolved' | 'spam' | 'unassigned'>>
  /** Undefined without Redis. */
  pingRedis?: (() => Promise<boolean>) | undefined
  /** Undefined if the store is not on this machine's disk. */
  disk?: DiskSpace | undefined
  /** Returns how often the caches were cleared because content changed, on this node or another. */
  contentDrops: () => number
}

export function observeState(register: Registry, state: ObservedState): void {
  const { sockets, connections, pingStore, caches, countConversations, pingRedis, disk, contentDrops } = state
  const options = (name: string, help: string) => ({
    name: `proctorpass_${name}`,
    help,
    registers: [register],
  })
  const gauge = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    read: (gauge: Gauge<L>) => unknown,
  ) =>
    new Gauge({
      ...options(name, help),
      labelNames,
      async collect() {
        await read(this)
      },
    })
  /** Creates a counter for a total that the product counts itself. */
  const counter = <L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    read: (counter: Counter<L>) => void,
  ) =>
    new Counter({
      ...options(name, help),
      labelNames,
      collect() {
        this.reset()
        read(this)
      },
    })

  gauge('build_info', 'The version of this node', ['version'], (gauge) => gauge.set({ version: VERSION }, 1))
  gauge('sockets', 'Open sockets of this node', ['audience'], (gauge) => {
    for (const [audience, count] of Object.entries(sockets())) gauge.set({ audience }, count)
  })
  gauge('connections', 'Open connections of this node, including sockets', [], (gauge) =>
    gauge.set(connections().open),
  )
  gauge('waiting_bytes', 'Bytes that clients have not read yet', [], (gauge) =>
    gauge.set(connections().waitingBytes),
  )
  counter('connections_closed_total', 'Connections closed by a limit', ['reason'], (counter) => {
    for (const [reason, count] of Object.entries(connections().closed)) counter.inc({ reason }, count)
  })
  gauge('store_up', 'Whether the store answers', [], (gauge) =>
    pingStore().then(
      () => gauge.set(1),
      () => gauge.set(0),
    ),
  )
  gauge(
    'conversations',
    'Conversations of the store, by status; unassigned ones are open',
    ['status'],
    (gauge) =>
      countConversations().then(
        ({ open, snoozed, resolved, spam, unassigned }) => {
          for (const [status, count] of Object.entries({ open, snoozed, resolved, spam, unassigned })) {
            gauge.set({ status }, count)
          }
        },
        () => gauge.reset(),
      ),
  )
  if (pingRedis !== undefined) {
    gauge('redis_up', 'Whether Redis answers', [], async (gauge) => gauge.set((await pingRedis()) ? 1 : 0))
  }
  if (disk !== undefined) {
    gauge('disk_free_bytes', 'Free bytes on the disk that holds DATA_DIR', [], async (gauge) =>
      gauge.set((await disk.read()).freeBytes),
    )
    gauge('disk_refused', 'Whether a full disk refuses writes, by side', ['side'], async (gauge) => {
      const { state } = await disk.read()
      gauge.set({ side: 'visitor' }, state === 'ok' ? 0 : 1)
      gauge.set({ side: 'admin' }, state === 'full' ? 1 : 0)
    })
  }
  counter('content_drops_total', 'How often the caches were cleared because content changed', [], (counter) =>
    counter.inc(contentDrops()),
  )
  const cacheHelp = 'Reads of pages and lists: from the cache (hit) or rendered (miss)'
  counter('cached_reads_total', cacheHelp, ['kind', 'outcome'], (counter) => {
    for (const [kind, reads] of Object.entries(caches)) {
      counter.inc({ kind, outcome: 'hit' }, reads.hits)
      counter.inc({ kind, outcome: 'miss' }, reads.misses)
    }
  })
}
