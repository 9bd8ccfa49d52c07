import type { FrameInput, RenderInput } from '@proctorpass/shared/ssr'
import type { HydrationState } from 'react-router'
import { shownHours } from '../lib/hours-text.ts'
import { PAGE_STATE_ID, type PageState } from '../lib/page-state.ts'
import { escapeMarkup, jsonForHtml } from './escape.ts'
import { headTags } from './head.ts'
import { langOf, type PageHead } from './page-head.ts'

interface PageParts {
  head: PageHead
  body: string
  hydration: HydrationState | null
  /** The ID of the page's own route. */
  routeId?: string | undefined
}

/** Returns the whole document: the built `web/index.html` with its placeholders replaced. */
export function fillTemplate(template: string, input: RenderInput, parts: PageParts): string {
  const { head, body, hydration, routeId } = parts
  const { config, languages, apiPrefix, hours, hasCards, form } = input
  const state: PageState = {
    ...{ config, languages, apiPrefix, hours: shownHours(hours), hasCards, hydration, form },
  }
  const { pieces, pages } = partsOf(template)
  const [start = '', ...rest] = pieces
  const fill = (name: string | undefined) => {
    if (name === 'head') return headTags(input, head)
    if (name === 'code') return preloadTags(pages, routeId)
    if (name === 'body') return body
    return stateTag(state)
  }
  let html = start.replace('<html lang="en">', () => `<html lang="${escapeMarkup(langOf(head))}">`)
  for (let index = 0; index < rest.length; index += 2) html += fill(rest[index]) + rest[index + 1]
  return html
}

/** A template in parts: `pieces` alternates between text and the names of the placeholders. */
interface Parts {
  template: string
  pieces: string[]
  pages: PageFiles
}

/** The files of each lazy page, as `web/build/page-code.ts` writes them into the template. */
type PageFiles = Record<string, string[]>

/** The last template's parts, which are found once because a built site has one template for all pages. */
let known: Parts | null = null

function partsOf(template: string): Parts {
  if (known?.template !== template) {
    let pages: PageFiles = {}
    const named = template.replace(/<!--page-code (\{[^{}]*\})-->/, (_placeholder, files: string) => {
      pages = JSON.parse(files)
      return '<!--page-code-->'
    })
    known = { template, pieces: named.split(/<!--page-(head|code|body|state)-->/), pages }
  }
  return known
}

/** Returns the page in a site's frame: the built `web/frame.html` with its state. */
export function fillFrame(template: string, { config, languages, apiPrefix, site }: FrameInput): string {
  const state: PageState = { config, languages, apiPrefix, site, hydration: null }
  return template.replace('<!--page-state-->', () => stateTag(state))
}

function stateTag(state: PageState): string {
  return `<script type="application/json" id="${PAGE_STATE_ID}">${jsonForHtml(state)}</script>`
}

/** Preloads a lazy page's files. */
function preloadTags(pages: PageFiles, routeId = ''): string {
  const files = pages[routeId.startsWith('article-') ? 'article' : routeId] ?? []
  return files.map((file) => `<link rel="modulepreload" fetchpriority="low" href="${file}" />`).join('')
}
