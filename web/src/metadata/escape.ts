// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot contain these
const ESCAPED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff&<>"]/g
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for HTML and XML, and for double-quoted attributes. It drops characters that XML 1.0 cannot contain. */
export function escapeMarkup(text: string): string {
  return text.replace(ESCAPED, (char) => ENTITIES[char] ?? '')
}

const UNSAFE_IN_JSON = /[<\u2028\u2029]/g

/** Returns JSON that can end neither its script element nor, in old parsers, its line. */
export function jsonForHtml(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE_IN_JSON,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
