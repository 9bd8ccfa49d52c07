import type { Plugin } from 'vite'

const TRANSPORTS = /[\\/]transports[\\/]index\.js$/

/**
 * Drops the transports of Socket.IO that the hub does not accept: the chat is smaller without. See
 * docs/decisions/0008-delivery-in-the-browser.md.
 */
export function websocketOnly(): Plugin {
  return {
    name: 'websocket-only',
    apply: 'build',
    applyToEnvironment: ({ name }) => ['client', 'frame'].includes(name),
    transform: {
      filter: { id: /[\\/]engine\.io-client[\\/]build[\\/]/ },
      handler: (code, id) => ({
        code: TRANSPORTS.test(id)
          ? "import { WS } from './websocket.node.js'\nexport const transports = { websocket: WS }\n"
          : code,
        map: null,
        // Or the unused ones stay, for what they do when they are loaded.
        moduleSideEffects: false,
      }),
    },
  }
}
