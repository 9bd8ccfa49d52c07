import { setTimeout as pause } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { AuditEntry, AuditPage } from '@proctorpass/shared/schemas/audit'
import { ChainCheck, keyOfNumber } from '../../src/storage/model/audit.ts'
import { API_PREFIX, signInWhenReady, untilAnswered } from '../chat-client.ts'
import type { Ledger } from './ledger.ts'

/** More than a node waits before it finishes the entry of a process that died. */
export const WITHIN_MS = 60_000
const ANSWER_MS = 20_000

/**
 * Each conversation was erased this often, by changes that a kill could cut in half: the log has an entry for each, and
 * no other. Its numbers have no gap, and each entry follows from the one before.
 */
export async function checkAuditLog(
  ledger: Ledger,
  origin: string,
  erased: readonly string[],
  times: number,
): Promise<void> {
  let counts: number[] = []
  let entries: AuditEntry[] = []
  for (const from = performance.now(); performance.now() - from < WITHIN_MS; await pause(500)) {
    entries = await readAuditLog(origin)
    counts = erased.map(
      (clientId) =>
        entries.filter(({ action, target }) => action === 'conversation.erased' && target === clientId)
          .length,
    )
    if (counts.every((count) => count === times)) break
  }
  if (counts.some((count) => count !== times)) {
    ledger.violation(`conversations were erased ${times} times, and the audit log has ${counts} entries`)
  }
  const check = new ChainCheck()
  for (const { n, at, details, ...entry } of entries) {
    const record = { ...entry, _id: keyOfNumber(n), at: Date.parse(at), source: '' }
    check.add({ ...record, details: JSON.stringify(details) })
  }
  const { brokenAt } = check.result()
  if (brokenAt !== null) ledger.violation(`the audit log is broken at entry ${brokenAt}`)
}

/** In order of n. Entries that come meanwhile are left out. */
export async function readAuditLog(origin: string): Promise<AuditEntry[]> {
  const { accessToken } = await signInWhenReady(origin)
  const entries: AuditEntry[] = []
  for (let cursor = ''; ; ) {
    const path = `${origin}${API_PREFIX}${adminPaths.audit}?limit=200${cursor && `&cursor=${cursor}`}`
    const headers = { authorization: `Bearer ${accessToken}` }
    const page = await untilAnswered(async () => {
      const answer = await fetch(path, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
      if (!answer.ok) throw new Error(`The audit log was answered with ${answer.status}.`)
      return (await answer.json()) as AuditPage
    })
    entries.push(...page.entries)
    if (page.next === null) return entries.reverse()
    cursor = page.next
  }
}
