import type { ListCache } from '../content/list-cache.ts'
import type { TypedApp } from '../http/validation.ts'
import type { FaqUseCases } from './faq.ts'
import { faqRoutes } from './faq-routes.ts'
import { textRoutes } from './text-routes.ts'
import type { Texts } from './texts.ts'

interface PluginOptions {
  texts: Texts
  faq: FaqUseCases
  listCache: ListCache
}

export function textsPlugin(api: TypedApp, { texts, faq, listCache }: PluginOptions): void {
  textRoutes(api, { texts, listCache })
  faqRoutes(api, { texts, faq, listCache })
}
