import { readFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import { build, createServer, isRunnableDevEnvironment } from 'vite'
import { LOADER_BUILD } from './build/loader.ts'

const root = import.meta.dirname

/** Runs Vite as middleware in the API's HTTP server. Hot updates use the same port. */
export async function openDevServer(server: Server) {
  const vite = await createServer({
    configFile: join(root, 'vite.config.ts'),
    server: { middlewareMode: true, ws: { server } },
  })
  /**
   * Returns Vite's module runner. It is read on each call, because Vite replaces its environments when its
   * configuration changes.
   */
  function runner() {
    const { ssr } = vite.environments
    if (!isRunnableDevEnvironment(ssr)) throw new Error('The ssr environment does not run in this process.')
    return ssr.runner
  }

  return {
    /** Resolves with true if Vite has answered. */
    answer: (request: IncomingMessage, response: ServerResponse) =>
      new Promise<boolean>((resolve) => {
        response.once('close', () => resolve(true))
        vite.middlewares(request, response, () => resolve(false))
      }),
    entry: () => runner().import<ServerEntry>('/src/entry-server.tsx'),
    template: async (url: string, file: string) =>
      vite.transformIndexHtml(url, await readFile(join(root, file), 'utf8')),
    /** Builds the script for other websites' pages again. */
    async loader() {
      const built = await build({
        ...{ configFile: false, root, logLevel: 'warn' },
        build: { ...LOADER_BUILD, write: false },
      })
      if (!('output' in built)) throw new Error('The loader has one output.')
      return built.output[0].code
    },
    close: () => vite.close(),
  }
}
