/** Replaces `{brand}` with the name of the business. */
export function withBrand(text: string, brand: string): string {
  // A function, because `$&` in a replacement string is special.
  return text.replaceAll('{brand}', () => brand)
}
