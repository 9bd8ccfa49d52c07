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
  const lang = langOf(head)
  return template
    .replace('<html lang="en">', () => `<html lang="${escapeMarkup(lang)}">`)
    .replace(
      /<!--page-(head|code|body|state)(?: (\{[^{}]*\}))?-->/g,
      (_placeholder, name: string, files = '{}') => {
        if (name === 'head') return headTags(input, head)
        if (name === 'code') return preloadTag(JSON.parse(files), routeId)
        if (name === 'body') return body
        return stateTag(state)
      },
    )
}

/** Returns the page in a site's frame: the built `web/frame.html` with its state. */
export function fillFrame(template: string, { config, languages, apiPrefix, site }: FrameInput): string {
  const state: PageState = { config, languages, apiPrefix, site, hydration: null }
  return template.replace('<!--page-state-->', () => stateTag(state))
}

function stateTag(state: PageState): string {
  return `<script type="application/json" id="${PAGE_STATE_ID}">${jsonForHtml(state)}</script>`
}

/** Preloads a lazy page's chunk. `web/build/page-code.ts` writes `files`. */
function preloadTag(files: Record<string, string>, routeId = ''): string {
  const file = files[routeId.startsWith('article-') ? 'article' : routeId]
  return file ? `<link rel="modulepreload" fetchpriority="low" href="${file}" />` : ''
}
