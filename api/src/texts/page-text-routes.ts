import { AppError } from '@proctorpass/shared/errors'
import { PAGE_WORDS, type PageText } from '@proctorpass/shared/page-text'
import { SuggestionsSchema } from '@proctorpass/shared/schemas/suggestion'
import { LangQuerySchema, TextKeyParamSchema } from '@proctorpass/shared/schemas/text'
import Type from 'typebox'
import type { ListCache } from '../content/list-cache.ts'
import type { TypedApp } from '../http/validation.ts'
import type { PageTexts } from './page-texts.ts'
import type { SuggestedPages } from './suggested-pages.ts'
import { addressIn } from './text-routes.ts'

/** The most characters of all suggestions, which are much shorter on the wire. */
const SUGGESTIONS_MAX = 256 * 1_024

const PageTextSchema = Type.Unsafe<PageText>(
  Type.Object(
    {
      lang: Type.String(),
      dir: Type.String(),
      languages: Type.Array(Type.Object({ tag: Type.String(), name: Type.String() })),
      words: Type.Optional(Type.Object(Object.fromEntries(PAGE_WORDS.map((name) => [name, Type.String()])))),
      inEnglish: Type.Optional(Type.Literal(true)),
      text: Type.Object({}, { additionalProperties: true }),
    },
    { additionalProperties: false },
  ),
)

interface RouteDeps {
  pageTexts: PageTexts
  suggestedPages: SuggestedPages
  listCache: ListCache
}

export function pageTextRoutes(app: TypedApp, { pageTexts, suggestedPages, listCache }: RouteDeps): void {
  app.get(
    '/texts/:key/page',
    {
      schema: {
        summary: "A page's text as the page shows it, in English if it has no such translation",
        params: TextKeyParamSchema,
        querystring: LangQuerySchema,
        response: { 200: PageTextSchema },
      },
    },
    async (request, reply) => {
      const found = await pageTexts.find(request.params.key, request.query.lang)
      if (found === null) throw new AppError('not-found', 'There is no such page.')
      return listCache.sendAs(request, reply, addressIn(request, found.lang), () => pageTexts.page(found))
    },
  )

  app.get(
    '/suggestions',
    {
      schema: {
        summary:
          'The pages that the chat may suggest while a visitor types, in this language if they are translated',
        querystring: LangQuerySchema,
        response: { 200: SuggestionsSchema },
      },
    },
    async (request, reply) => {
      const lang = await pageTexts.langOf(request.query.lang)
      const read = () => suggestedPages(lang)
      return listCache.sendAs(request, reply, addressIn(request, lang), read, SUGGESTIONS_MAX)
    },
  )
}
