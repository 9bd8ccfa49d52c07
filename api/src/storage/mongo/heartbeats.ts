import { setTimeout as pause } from 'node:timers/promises'
import type { MongoClient } from 'mongodb'

/** The driver ends a heartbeat within four seconds, or within ten more when it waits for the server's state to change. */
const STUCK_AFTER_MS = 8_000
const AWAITED_MS = 10_000
const RETRY_MS = 1_000

/**
 * Reconnects the client when a heartbeat neither succeeds nor fails. Such a heartbeat began in the event-loop turn that
 * read the end of its connection. The driver waits for it forever, and without another heartbeat it never sees that the
 * server is back. Returns a function that stops watching.
 */
export function reconnectWhenStuck(client: MongoClient, afterMs = STUCK_AFTER_MS): () => void {
  const timers = new Map<string, NodeJS.Timeout>()
  let isReconnecting = false
  let isOver = false

  function answered(address: string): void {
    clearTimeout(timers.get(address))
    timers.delete(address)
  }

  async function reconnect(): Promise<void> {
    if (isReconnecting) return
    isReconnecting = true
    for (const address of timers.keys()) answered(address)
    while (!isOver) {
      try {
        await client.close()
        await client.connect()
        break
      } catch {
        await pause(RETRY_MS)
      }
    }
    // The watch was stopped during the reconnect.
    if (isOver) await client.close()
    isReconnecting = false
  }

  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    answered(connectionId)
    const limitMs = afterMs + (awaited ? AWAITED_MS : 0)
    timers.set(connectionId, setTimeout(() => void reconnect(), limitMs).unref())
  })
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => answered(connectionId))
  client.on('serverHeartbeatFailed', ({ connectionId }) => answered(connectionId))
  client.on('serverClosed', ({ address }) => answered(address))

  return () => {
    isOver = true
    for (const address of timers.keys()) answered(address)
  }
}
