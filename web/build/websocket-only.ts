import type { Plugin } from 'vite'

const TRANSPORTS = /[\\/]transports[\\/]index\.js$/

/**
 * Drops Socket.IO's transports that the hub does not accept, which makes the chat smaller. See
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
        // Otherwise the unused transports would stay, because loading them could have side effects.
        moduleSideEffects: false,
      }),
    },
  }
}
