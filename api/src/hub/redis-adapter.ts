import { createAdapter } from '@socket.io/redis-adapter'
import type { Redis } from '../redis/redis.ts'

type Listener = Parameters<Redis['subscribe']>[1]

/**
 * Socket.IO's own adapter on our connections: what is emitted reaches the sockets of all processes. It awaits no
 * command and catches nothing, so it gets a client on which nothing fails. Local sockets never wait for Redis.
 */
export function redisAdapter(redis: Redis) {
  const client = {
    publish: redis.publish,
    subscribe: (channels: string[], listener: Listener) => redis.subscribe(channels, listener),
    // By this one the adapter knows the kind of client.
    pSubscribe: (pattern: string, listener: Listener) => redis.subscribePattern(pattern, listener),
    on() {},
  }
  return createAdapter(client, client, { key: redis.key })
}
