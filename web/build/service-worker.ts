import { join } from 'node:path'
import type { Plugin } from 'vite'
import { WORKER_PATH } from '../src/lib/worker-messages.ts'

export const WORKER_SOURCE = 'src/service-worker/sw.ts'

/** Builds the service worker as one file at the root, because a worker's scope is the folder in its address. */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    applyToEnvironment: ({ name }) => name === 'client',
    buildStart() {
      const { root, command } = this.environment.config
      if (command !== 'build') return
      this.emitFile({ type: 'chunk', id: join(root, WORKER_SOURCE), fileName: WORKER_PATH.slice(1) })
    },
    configureServer({ middlewares }) {
      middlewares.use((request, _response, next) => {
        if (request.url === WORKER_PATH) request.url = `/${WORKER_SOURCE}`
        next()
      })
    },
  }
}
