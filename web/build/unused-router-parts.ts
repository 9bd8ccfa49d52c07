import type { Plugin } from 'vite'

/** An assignment to a component's property counts as a use of the component. */
const DISPLAY_NAMES = /^\w+\.displayName = "[^"]*";$/gm
const COMPONENTS = /= (?=React\d*\.(?:forwardRef|memo|createContext)\()/g

/**
 * Marks React Router's components as free of side effects, so that the bundler drops those that nothing imports. The
 * package is one module, which does not mark them itself. Without a match, browsers load more, and the budgets tell.
 * @see docs/decisions/0138-unused-router-parts.md
 */
export function unusedRouterParts(): Plugin {
  return {
    name: 'unused-router-parts',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    transform: {
      filter: {
        id: /[\\/]react-router[\\/]dist[\\/]production[\\/]chunk-\w+\.mjs$/,
        code: 'function createRouter(',
      },
      handler: (code) => ({
        code: code.replace(DISPLAY_NAMES, '').replace(COMPONENTS, '= /* @__PURE__ */ '),
        map: null,
      }),
    },
  }
}
