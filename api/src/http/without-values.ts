/**
 * A driver's message without input of users and operators: passwords in URLs, values of duplicate keys, client ids,
 * visitor keys and tokens.
 */
export function withoutValues(text: string): string {
  return text
    .replace(/\/\/[^\s/]*@/g, '//***@')
    .replace(/ppk_[\w-]+/g, '***')
    .replace(/dup key: .*/g, 'dup key')
    .replace(/[\w.-]+/g, (run) => (looksLikeToken(run) ? '***' : run))
    .replace(/(?<![\w-])[\w-]{43}(?![\w-])/g, '***')
    .replace(/\b[A-Za-z0-9]{20}\b/g, '***')
}

/** Three or more parts between dots, with a long one after the second dot. */
function looksLikeToken(run: string): boolean {
  return run.split('.').some((part, index) => index >= 2 && part.length >= 20)
}
