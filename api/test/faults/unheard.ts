import { setTimeout as pause } from 'node:timers/promises'
import { accountPaths } from '@proctorpass/shared/account-paths'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX, newId, signInWhenReady } from '../chat-client.ts'
import type { PushService } from '../push-service.ts'
import type { ServerProcess } from '../server-process.ts'
import type { Ledger } from './ledger.ts'

const VISITORS = 3
/** More than the lease of a job, on a slow machine. */
const WITHIN_MS = 120_000
/** In this time a second push of the same message would arrive. */
const QUIET_MS = 3_000

/**
 * Visitors write once each, and the process is killed as soon as it acknowledged the last message: each message
 * notifies the admin, once. Answers the number of pushes, also those of messages that were left unread before.
 */
export async function checkUnheard(
  server: ServerProcess,
  killAndRestart: () => Promise<void>,
  service: PushService,
  ledger: Ledger,
): Promise<number> {
  const { accessToken } = await signInWhenReady(server.origin)
  const body = { ...service.device('phone'), label: 'Phone' }
  await post(server, accountPaths.push, body, { authorization: `Bearer ${accessToken}` })
  const clientIds = Array.from({ length: VISITORS }, () => newId())
  for (const clientId of clientIds) {
    await post(server, paths.chat, { clientId, message: 'Is anybody there?', nonce: newId() })
  }
  await killAndRestart()

  const deadline = performance.now() + WITHIN_MS
  const pushesOf = (clientId: string) =>
    service.received.filter(({ payload }) => payload.tag === clientId).length
  while (!clientIds.every(pushesOf) && performance.now() < deadline) await pause(200)
  await pause(QUIET_MS)
  for (const clientId of clientIds) {
    const pushes = pushesOf(clientId)
    if (pushes !== 1) ledger.violation(`an unread message notified the admin ${pushes} times`)
  }
  for (const problem of service.problems) ledger.violation(`a push was wrong: ${problem}`)
  return service.received.length
}

async function post({ origin }: ServerProcess, path: string, body: object, headers = {}): Promise<void> {
  const answer = await fetch(origin + API_PREFIX + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}
