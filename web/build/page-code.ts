import { basename } from 'node:path'
import type { Plugin } from 'vite'

/** Tells the server which file holds the code of each page that comes apart, by the file's name in `src/pages`. */
export function pageCode(): Plugin {
  return {
    name: 'page-code',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const files = Object.values(bundle).flatMap((file) => {
          const page = file.type === 'chunk' && file.isDynamicEntry ? file.facadeModuleId : null
          return page?.includes('/src/pages/') ? [[basename(page, '.tsx'), `/${file.fileName}`]] : []
        })
        return html.replace(
          '<!--page-code {}-->',
          `<!--page-code ${JSON.stringify(Object.fromEntries(files))}-->`,
        )
      },
    },
  }
}
