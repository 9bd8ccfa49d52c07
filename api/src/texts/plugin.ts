import type { ContentRevision } from '../content/content-revision.ts'
import type { ListCache } from '../content/list-cache.ts'
import type { TypedApp } from '../http/validation.ts'
import type { FaqUseCases } from './faq.ts'
import { faqRoutes } from './faq-routes.ts'
import { pageTextRoutes } from './page-text-routes.ts'
import type { PageTexts } from './page-texts.ts'
import type { SuggestedPages } from './suggested-pages.ts'
import { textRoutes } from './text-routes.ts'
import type { Texts } from './texts.ts'

/** How often the questions are looked at that were deleted too long ago to be restored. */
const FORGET_EVERY_MS = 10 * 60 * 1_000

interface PluginOptions {
  texts: Texts
  faq: FaqUseCases
  pageTexts: PageTexts
  suggestedPages: SuggestedPages
  contentRevision: ContentRevision
  /** Tells when the words of articles' pages change. */
  languages: { onChanged: (listener: () => void) => void }
  listCache: ListCache
}

export function textsPlugin(api: TypedApp, options: PluginOptions): void {
  const { contentRevision, languages, pageTexts, listCache } = options
  contentRevision.subscribe(pageTexts.clear)
  languages.onChanged(() => {
    pageTexts.clear()
    listCache.clear()
  })
  const forget = () => void options.faq.forgetDeleted().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  api.addHook('onReady', async () => {
    forget()
    timer = setInterval(forget, FORGET_EVERY_MS).unref()
  })
  api.addHook('onClose', async () => clearInterval(timer))
  textRoutes(api, options)
  faqRoutes(api, options)
  pageTextRoutes(api, options)
}
