/**
 * Removes users' and operators' input from a driver's message: passwords in URLs, values of duplicate keys, client IDs,
 * visitor keys, and tokens.
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

/** Whether the text has three or more parts between dots, with a long one after the second dot. */
function looksLikeToken(run: string): boolean {
  return run.split('.').some((part, index) => index >= 2 && part.length >= 20)
}
