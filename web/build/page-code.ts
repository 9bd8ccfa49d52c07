import { basename } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

const PAGES = /\/src\/(pages|sign-in)\//

/** Writes the files of each lazily loaded page into the template, under the page's file name. */
export function pageCode(): Plugin {
  return {
    name: 'page-code',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, chunk: entry }) {
        const withImports = (chunk: Rolldown.OutputChunk, files = new Set<string>()) => {
          files.add(chunk.fileName)
          for (const name of chunk.imports) {
            const imported = bundle[name]
            if (imported?.type === 'chunk' && !files.has(name)) withImports(imported, files)
          }
          return files
        }
        const loaded = entry ? withImports(entry) : new Set()
        const files = Object.values(bundle).flatMap((file) => {
          const page = file.type === 'chunk' && file.isDynamicEntry ? file.facadeModuleId : null
          if (file.type !== 'chunk' || !page || !PAGES.test(page)) return []
          const own = [...withImports(file)].filter((name) => !loaded.has(name))
          return [[basename(page, '.tsx'), own.map((name) => `/${name}`)]]
        })
        return html.replace(
          '<!--page-code {}-->',
          `<!--page-code ${JSON.stringify(Object.fromEntries(files))}-->`,
        )
      },
    },
  }
}
