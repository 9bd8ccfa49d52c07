import type { TextFieldsByKind } from './fields/page-texts.ts'
import type { Heading, Section } from './shown-html.ts'

/** A language in which a page exists. */
export interface PageLanguage {
  /** BCP 47. */
  tag: string
  /** Its name in the language itself. */
  name: string
}

/** The words of an article's page that are not part of its text, by their names in the language files. */
export const PAGE_WORDS = ['written', 'checked', 'by', 'inThisArticle', 'show', 'hide'] as const
export type PageWords = Record<(typeof PAGE_WORDS)[number], string>

/**
 * A page's text as the page shows it: with the business's name and address, IDs of headings, and frames of tables. The
 * page's state holds no string of `text` but IDs and dates, because the page shows each of them, and the browser reads
 * them there.
 */
export interface PageText<Text = unknown> {
  /** The page's language. English if the page does not exist in the language that was asked for. */
  lang: string
  dir: 'ltr' | 'rtl'
  /** All languages in which the page exists. Empty if it exists only in English. */
  languages: PageLanguage[]
  /** The page's own words are in English, although some of its parts are translated. */
  inEnglish?: true
  /** Missing if they are the English ones of the release, which are in the code. */
  words?: PageWords
  text: Text
}

export interface ShownQuestion {
  id: string
  question: string
  /** The answer. */
  html: string
  /** Present if the question is not in the page's language. */
  lang?: string
}

type Writing = Pick<TextFieldsByKind['privacy'], 'title' | 'description' | 'heading' | 'lead'> & {
  sections: Section[]
}

/** What each kind of page shows. */
export interface ShownTexts {
  home: TextFieldsByKind['home']
  blogs: TextFieldsByKind['blogs'] & {
    /** The articles. */
    guides: { slug: string; heading: string }[]
  }
  reviews: TextFieldsByKind['reviews']
  contact: TextFieldsByKind['contact']
  faq: Omit<TextFieldsByKind['faq'], 'groups'> & {
    groups: { id: string; title: string; questions: ShownQuestion[] }[]
  }
  privacy: Writing
  terms: Writing
  article: Omit<TextFieldsByKind['article'], 'content'> & {
    headings: Heading[]
    html: string
    /** ISO 8601. An edit counts as an update. */
    published: string
    updated: string
  }
}

/** A page in the lists for search engines and readers: the sitemap, and for articles the feed. */
export interface ListedText {
  /** Its path, with `?lang=` for other languages than English. */
  path: string
  /** The last change in ISO 8601. Null if it is not known, because the text is shipped. */
  updated: string | null
  /** Present for articles in English. */
  article?: { title: string; summary: string; published: string }
}

/** The path of a text as its page shows it, in the REST API. */
export const pageTextPath = (key: string, lang: string) =>
  `/texts/${encodeURIComponent(key)}/page${lang === 'en' ? '' : `?lang=${encodeURIComponent(lang)}`}`
