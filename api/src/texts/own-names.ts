/** Returns a language's name in the language itself, such as `Deutsch`. */
export function ownNameOf(tag: string): string {
  return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag
}

/** Matches languages and scripts that are written from right to left. */
const RTL = /^(?:ar|arc|ckb|dv|fa|he|khw|ks|ps|sd|ug|ur|yi)\b|-(?:Arab|Hebr|Nkoo|Syrc|Thaa)\b/

export function directionOf(tag: string): 'ltr' | 'rtl' {
  return RTL.test(tag) && !/-Latn\b|-Cyrl\b/.test(tag) ? 'rtl' : 'ltr'
}
