import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { TcpProxy } from '../tcp-proxy.ts'
import { checkAuditLog } from './audit-log.ts'
import { AuditedKeys } from './audited-keys.ts'
import { beginErased, ERASED_TIMES, type ErasedScene, MARK, until } from './erased-conversation.ts'
import { withoutUnallocated } from './sqlite-pages.ts'

const CONVERSATIONS = 4

interface Scene extends Pick<ErasedScene, 'ledger' | 'origins'> {
  /** Kills the first node and starts it again. */
  kill: () => Promise<void>
  /** Where the store still has the mark. */
  remains: () => string[] | Promise<string[]>
}

/**
 * Conversations are erased while the process is killed. After that no answer of any node, no browser and no part of the
 * store has anything of them. Answers how many were erased.
 */
export async function checkErasing({ ledger, origins, kill, remains }: Scene): Promise<number> {
  const openWay = (origin: string) => TcpProxy.open(Number(new URL(origin).port))
  const scene = { ledger, origins, signedInAt: origins.at(-1) ?? '', openWay }
  const erased = await Promise.all(
    Array.from({ length: CONVERSATIONS }, (_, index) =>
      beginErased(scene, index % 2 === 0 ? 'admin' : 'visitor'),
    ),
  )
  if ((await remains()).length === 0) ledger.violation('the store has nothing to erase')
  const keys = new AuditedKeys()
  const changeKeys = await keys.prepare(origins[0] ?? '')
  const changing = changeKeys()
  const erasing = erased.map((each) => each.erase())
  await pause(erased.length)
  await kill()
  await Promise.all([changing, ...erasing])
  await Promise.all(erased.map((each) => each.check()))
  let left: string[] = []
  await until(
    ledger,
    () => `${left} have erased messages`,
    async () => {
      left = await remains()
      return left.length === 0
    },
  )
  for (const each of erased) await each.end()
  const last = origins.at(-1) ?? ''
  await checkAuditLog(
    ledger,
    last,
    erased.map(({ clientId }) => clientId),
    ERASED_TIMES,
  )
  await keys.check(ledger, last)
  return erased.length
}

/** The files below the folder of the data that have the mark, also in what is deleted but not overwritten. */
export function filesWithMark(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.filter((path) => {
    try {
      const bytes = readFileSync(path)
      return (path.includes('.sqlite') ? withoutUnallocated(bytes) : bytes).includes(MARK)
    } catch (error) {
      // Removed meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  })
}
