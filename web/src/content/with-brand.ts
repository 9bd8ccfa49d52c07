/** Replaces `{brand}` with the business's name. */
export function withBrand(text: string, brand: string): string {
  // The replacement is a function, because `$&` in a replacement string is special.
  return text.replaceAll('{brand}', () => brand)
}
