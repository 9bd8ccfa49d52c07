import type { Plural } from './words.ts'

/**
 * Fills all of a text's places with the values of these names. If the text has several forms, `count` chooses the
 * language's form for it.
 */
export function fill(text: string | Plural, values: object, language = 'en'): string {
  const rules = new Intl.PluralRules(language)
  // A string has no forms.
  const form =
    (text as Plural)[rules.select((values as { count: number }).count)] ??
    ((text as Partial<Plural>).other || (text as string))
  return form.replace(/{(\w+)}/g, (_place, name) => (values as Record<string, string>)[name] as string)
}
