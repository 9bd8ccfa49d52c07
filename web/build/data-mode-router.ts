import type { Plugin } from 'vite'

/**
 * Functions of React Router that the site never calls. It has loaders, but no actions, fetchers, or middleware, and uses
 * neither the framework mode nor server components.
 */
const UNUSED = new Set([
  'PrefetchPageLinks',
  'RSCErrorHandler',
  'decodeRedirectErrorDigest',
  'decodeRouteErrorResponseDigest',
  'fetch2',
  'getRouteInstrumentationUpdates',
  'handleAction',
  'handleFetcherAction',
  'handleFetcherLoader',
  'instrumentClientSideRouter',
  'runClientMiddlewarePipeline',
])

/** With these removed, rolldown drops the components that nothing imports, such as `Form`. */
const DISPLAY_NAMES = /^\w+\.displayName = "[^"]*";$/gm
const COMPONENTS = /= (?=React\d*\.(?:forwardRef|memo|createContext)\()/g

/**
 * Drops from React Router what data mode without actions does not need, because the package is one module in which
 * everything refers to everything. A dropped function throws when it is called after all. The build fails if the
 * package no longer has one of them.
 * @see docs/decisions/0138-router-in-data-mode.md
 */
export function dataModeRouter(): Plugin {
  return {
    name: 'data-mode-router',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    transform: {
      filter: {
        id: /[\\/]react-router[\\/]dist[\\/]production[\\/]chunk-\w+\.mjs$/,
        code: 'function createRouter(',
      },
      handler(code) {
        const missing = new Set(UNUSED)
        const bodies: { start: number; end: number }[] = []
        const visit = (node: unknown): void => {
          if (typeof node !== 'object' || node === null) return
          if (isFunction(node) && UNUSED.has(node.id.name)) {
            missing.delete(node.id.name)
            bodies.push(node.body)
          } else Object.values(node).forEach(visit)
        }
        visit(this.parse(code))
        if (missing.size > 0)
          this.error(`React Router has no ${[...missing].join(', ')}: update web/build/data-mode-router.ts.`)
        let trimmed = ''
        let end = 0
        for (const body of bodies) {
          trimmed += `${code.slice(end, body.start)}{ throw Error() }`
          end = body.end
        }
        trimmed += code.slice(end)
        return {
          code: trimmed.replace(DISPLAY_NAMES, '').replace(COMPONENTS, '= /* @__PURE__ */ '),
          map: null,
        }
      },
    },
  }
}

interface NamedFunction {
  id: { name: string }
  body: { start: number; end: number }
}

function isFunction(node: object): node is NamedFunction {
  return 'type' in node && node.type === 'FunctionDeclaration'
}
