// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML 1.0 cannot carry at all
const NOT_AS_IT_IS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff&<>"]/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for HTML and XML alike, also between double quotes. What XML 1.0 cannot carry at all is left out. */
export function escapeMarkup(text: string): string {
  return text.replace(NOT_AS_IT_IS, (sign) => ENTITIES[sign] ?? '')
}

/** JSON that ends neither its script element nor, for old parsers, its line. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
