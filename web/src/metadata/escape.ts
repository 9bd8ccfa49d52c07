// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot contain these
const ESCAPED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff&<>"]/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for HTML and XML, and for double-quoted attributes. It drops characters that XML 1.0 cannot contain. */
export function escapeMarkup(text: string): string {
  return text.replace(ESCAPED, (char) => ENTITIES[char] ?? '')
}

/** Returns JSON that can end neither its script element nor, in old parsers, its line. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
