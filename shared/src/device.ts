/**
 * Browsers by what their User-Agent contains. The first match counts, because most browsers also name those they
 * descend from.
 */
const BROWSERS: readonly [string, RegExp][] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOP(?:R|T|X|iOS)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
]
const SYSTEMS: readonly [string, RegExp][] = [
  ['Windows', /\bWindows\b/],
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
]
const READ_MAX = 512

/**
 * Returns a name such as "Chrome on Android" for a User-Agent, made only of words in these lists. Null if none matches.
 */
export function deviceOf(userAgent: string | undefined): string | null {
  const text = userAgent?.slice(0, READ_MAX) ?? ''
  const named = (names: readonly [string, RegExp][]) => names.find(([, pattern]) => pattern.test(text))?.[0]
  return [named(BROWSERS), named(SYSTEMS)].filter((name) => name !== undefined).join(' on ') || null
}
