import type english from '@proctorpass/shared/languages/en.json'

type Catalog = typeof english

/** A text in the forms that depend on `{count}`. The language has at least the last one. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

type Part<Name extends string> = {
  [Key in keyof Catalog as Key extends `${Name}.${infer Text}` ? Text : never]: Catalog[Key] extends string
    ? string
    : Plural
}

/** Every text of the widget in one language, by part and name. A part's English is in the chunk that shows it. */
export interface Words {
  language: { dir: 'ltr' | 'rtl' }
  launcher: Part<'launcher'>
  view: Part<'view'>
  panel: Part<'panel'>
  later: Part<'later'>
  refusals: Readonly<Record<string, string>>
  attach: Part<'attach'>
  files: Part<'files'>
  mailed: Part<'mailed'>
}
