import type { FastifyInstance } from 'fastify'
import type { Blogs } from '../content/blogs.ts'
import type { Contacts } from '../content/contacts.ts'
import type { ContentRevision } from '../content/content-revision.ts'
import type { ListCache } from '../content/list-cache.ts'
import type { Reviews } from '../content/reviews.ts'
import type { Env } from '../env/env.ts'
import { publicConfig } from '../http/public-config.ts'
import type { Languages } from '../languages/languages.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { type CachedResponseOptions, serveCachedResponses } from './cached-response-listener.ts'
import { createPageForms } from './page-forms.ts'
import { type Pages, servePages } from './pages.ts'

interface PluginOptions extends Omit<CachedResponseOptions, 'find'> {
  env: Env
  blogs: Blogs
  reviews: Reviews
  contacts: Contacts
  settings: SettingsUseCases
  languages: Languages
  pageTexts: PageTexts
  contentRevision: ContentRevision
  listCache: ListCache
  dev: boolean
  distDir: string | undefined
}

/** Serves pages and their forms for every GET without a route, and cached answers ahead of the router. */
export async function pagesPlugin(app: FastifyInstance, options: PluginOptions): Promise<Pages> {
  const { env, contacts, reviews, blogs, settings, languages, contentRevision, listCache } = options
  const { limits, dev, distDir } = options
  const pages = await servePages(app, {
    publicUrl: env.publicUrl,
    apiPrefix: env.apiPrefix,
    config: publicConfig(env),
    settings: async () => {
      const { hours, cards } = await settings.current()
      return { hours, languages: await languages.shown(), ...(cards.length > 0 && { hasCards: true }) }
    },
    texts: options.pageTexts,
    forms: createPageForms({ contacts, reviews }),
    hasPost: blogs.exists,
    limits,
    dev,
    ...(distDir === undefined ? {} : { distDir }),
  })
  contentRevision.subscribe(pages.clearCache)
  // Pages show the opening hours, depend on whether there are cards, and name the languages' revision.
  settings.onChanged(pages.clearCache)
  languages.onChanged(pages.clearCache)
  // Cached responses bypass the request log, which has a line for each request at these levels.
  if (env.logLevel !== 'debug' && env.logLevel !== 'trace') {
    const find: typeof pages.find = (...asked) => pages.find(...asked) ?? listCache.find(...asked)
    serveCachedResponses(app, { ...options, find })
  }
  return pages
}
