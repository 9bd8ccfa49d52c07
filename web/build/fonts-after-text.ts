import type { Plugin } from 'vite'

/** Scripts wait for what the first paint needs: on a slow line they would share it with the styles and the font. */
export function wordsFirst(): Plugin {
  return {
    name: 'words-first',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (html) =>
        html.replace(/<(script type="module"|link rel="modulepreload")/g, '<$1 fetchpriority="low"'),
    },
  }
}
