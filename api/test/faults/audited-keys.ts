import { setTimeout as pause } from 'node:timers/promises'
import type { ApiKeyList, CreatedApiKey } from '@proctorpass/shared/schemas/key'
import { API_PREFIX, newId, signInWhenReady, untilAnswered } from '../chat-client.ts'
import { readAuditLog, WITHIN_MS } from './audit-log.ts'
import type { Ledger } from './ledger.ts'

const KEYS = 6
const ANSWER_MS = 20_000

/**
 * API keys that are created and deleted while a node is killed: one is an insert, the other an update. The log has an
 * entry for each change that was stored, and no other.
 */
export class AuditedKeys {
  /** Of all keys of this round. */
  private readonly name = `round ${newId()}`

  /** Makes keys to delete. Answers what changes them, whether it is answered or not. */
  async prepare(origin: string): Promise<() => Promise<void>> {
    const call = await signedIn(origin)
    const ids: string[] = []
    for (let made = 0; made < KEYS; made += 1) {
      const { data } = await untilAnswered(() => call<CreatedApiKey>('POST', '/keys', this.body()))
      ids.push(data._id)
    }
    return async () => {
      const changes = ids.flatMap((id) => [call('DELETE', `/keys/${id}`), call('POST', '/keys', this.body())])
      await Promise.allSettled(changes)
    }
  }

  async check(ledger: Ledger, origin: string): Promise<void> {
    const call = await signedIn(origin)
    let different = ''
    for (const from = performance.now(); performance.now() - from < WITHIN_MS; await pause(500)) {
      different = await this.differences(origin, call)
      if (different === '') break
    }
    if (different !== '') ledger.violation(`API keys and their audit entries differ: ${different}`)
    const { keys } = await call<ApiKeyList>('GET', '/keys')
    for (const { _id, name } of keys) if (name === this.name) await call('DELETE', `/keys/${_id}`)
  }

  private body(): object {
    return { name: this.name, scopes: ['read'] }
  }

  /** Empty when there are none. */
  private async differences(origin: string, call: Call): Promise<string> {
    const entries = await readAuditLog(origin)
    const { keys } = await call<ApiKeyList>('GET', '/keys')
    const living = keys.filter(({ name }) => name === this.name).map(({ _id }) => _id)
    const targets = (action: string) =>
      entries.flatMap((entry) => (entry.action === action && entry.target !== null ? [entry.target] : []))
    const created = entries
      .filter(({ action, details }) => action === 'key.created' && details.name === this.name)
      .map(({ target }) => target ?? '')
    const deleted = targets('key.deleted').filter((id) => created.includes(id))
    const left = created.filter((id) => !deleted.includes(id))
    const isSame = left.toSorted().join() === living.toSorted().join()
    const isOnce = new Set([...created, ...deleted.map((id) => `deleted ${id}`)]).size
    if (isSame && isOnce === created.length + deleted.length) return ''
    return `the log leaves ${left}, the store has ${living}, deleted are ${deleted}`
  }
}

type Call = <T>(method: string, path: string, body?: object) => Promise<T>

async function signedIn(origin: string): Promise<Call> {
  const { accessToken } = await signInWhenReady(origin)
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(ANSWER_MS)
    const answer = await fetch(origin + API_PREFIX + path, {
      ...{ method, signal, headers: body === undefined ? { authorization: headers.authorization } : headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
}
