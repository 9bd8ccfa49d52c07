/** Returns a language's name in the language itself, such as `Deutsch`. */
export function ownNameOf(tag: string): string {
  return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
}
