import type { Plugin } from 'vite'

/** For bundles that Node runs: V8 keeps a source with a single character beyond Latin-1 in twice the memory. */
export function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'ssr',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        chunk.code = chunk.code.replace(/\P{ASCII}/gu, escapeCharacter)
      }
    },
  }
}

function escapeCharacter(character: string): string {
  const units = character.split('')
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
