import { basename } from 'node:path'
import type { Plugin } from 'vite'

const PAGES = /\/src\/(pages|sign-in)\//

/** Writes each lazily loaded page's chunk file into the template, under the page's file name. */
export function pageCode(): Plugin {
  return {
    name: 'page-code',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const files = Object.values(bundle).flatMap((file) => {
          const page = file.type === 'chunk' && file.isDynamicEntry ? file.facadeModuleId : null
          return page && PAGES.test(page) ? [[basename(page, '.tsx'), `/${file.fileName}`]] : []
        })
        return html.replace(
          '<!--page-code {}-->',
          `<!--page-code ${JSON.stringify(Object.fromEntries(files))}-->`,
        )
      },
    },
  }
}
