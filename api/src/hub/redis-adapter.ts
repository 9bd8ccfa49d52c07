import { createAdapter } from '@socket.io/redis-adapter'
import type { Redis } from '../redis/redis.ts'

type Listener = Parameters<Redis['subscribe']>[1]

/**
 * Creates Socket.IO's adapter on our Redis connections. Facts reach all nodes' sockets, and local sockets never wait
 * for Redis. The adapter neither awaits nor catches, so it gets a client whose calls cannot fail.
 * @see docs/decisions/0020-several-processes-over-redis.md
 */
export function redisAdapter(redis: Redis) {
  const client = {
    publish: redis.publish,
    subscribe: (channels: string[], listener: Listener) => redis.subscribe(channels, listener),
    // The adapter detects the kind of client by this method.
    pSubscribe: (pattern: string, listener: Listener) => redis.subscribePattern(pattern, listener),
    on() {},
  }
  return createAdapter(client, client, { key: redis.key })
}
