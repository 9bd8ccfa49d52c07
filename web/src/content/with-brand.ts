/** Copy names the business as `{brand}`. */
export function withBrand(text: string, brand: string): string {
  // A function, because a string would give `$&` in the name a meaning.
  return text.replaceAll('{brand}', () => brand)
}
