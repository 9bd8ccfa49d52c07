import { registerHooks } from 'node:module'

/** What the product imports, and what it gets in the simulation. */
const REPLACED: Readonly<Record<string, string>> = {
  'socket.io': './sockets.ts',
  './socket-io.ts': './sockets.ts',
  '@socket.io/redis-adapter': './sockets.ts',
  '@node-rs/argon2': './argon2.ts',
  '../outbound/post.ts': './outgoing.ts',
  './redis/redis.ts': './redis.ts',
  nodemailer: './mail-server.ts',
  'node:sqlite': './memory-database.ts',
}

/** Load this before the product. */
registerHooks({
  resolve(specifier, context, nextResolve) {
    const replacement = REPLACED[specifier]
    if (replacement === undefined) return nextResolve(specifier, context)
    return { url: new URL(replacement, import.meta.url).href, shortCircuit: true }
  },
})
