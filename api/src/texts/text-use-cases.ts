import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import type { Blogs } from '../content/blogs.ts'
import type { PostCleaner } from '../content/clean-post.ts'
import type { ContentRevision } from '../content/content-revision.ts'
import type { Env } from '../env/env.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { createFaq } from './faq.ts'
import { createPageTexts, type PageTextDeps } from './page-texts.ts'
import { createQuestions } from './questions.ts'
import { loadShippedTexts } from './shipped-texts.ts'
import { createSuggestedPages } from './suggested-pages.ts'
import { createTextChecks } from './text-checks.ts'
import { createTextReader } from './text-reader.ts'
import { createTexts } from './texts.ts'

interface TextUseCasesDeps {
  storage: Storage
  uploads: Pick<Uploads, 'release'>
  contentRevision: Pick<ContentRevision, 'changed'>
  clean: PostCleaner
  /** Whether a language is switched on. */
  isOn: (lang: string) => Promise<boolean>
  /** Returns the languages that are switched on. */
  languagesOn: () => Promise<readonly string[]>
  languages: PageTextDeps['languages']
  blogs: Pick<Blogs, 'list'>
  env: Pick<Env, 'brand' | 'supportEmail'>
  /** What ships. By default, what this release ships. */
  shipped?: ShippedTexts | undefined
  now: () => number
}

/** Creates the use cases for the pages' texts, the FAQ, and what is made of them. */
export function createTextUseCases({
  shipped = LOADED_LATER,
  env,
  blogs,
  languages,
  ...deps
}: TextUseCasesDeps) {
  const questions = createQuestions({ ...deps, shipped })
  const reader = createTextReader({ ...deps, shipped, questions })
  const checks = createTextChecks({ ...deps, shipped, questions, reader })
  const whole = { ...deps, shipped, questions, reader, checks }
  const texts = createTexts(whole)
  const faq = createFaq({ ...whole, texts })
  const pageTexts = createPageTexts({
    ...{ shipped, texts: { one: texts.read, faq: faq.read, written: texts.written } },
    ...{ languages, languagesOn: deps.languagesOn, brand: env.brand, supportEmail: env.supportEmail },
  })
  return { texts, faq, pageTexts, suggestedPages: createSuggestedPages({ shipped, pageTexts, blogs }) }
}

/** Loads the texts with the first one that is read, because a start does not need them. */
const LOADED_LATER: ShippedTexts = {
  get keys() {
    return loadShippedTexts().keys
  },
  get faq() {
    return loadShippedTexts().faq
  },
  fields: (key) => loadShippedTexts().fields(key),
  article: (slug) => loadShippedTexts().article(slug),
}
