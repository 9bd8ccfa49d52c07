interface Header {
  key: string
  value: string
}

/** A server uses LMTP to hand mail to its own mailboxes; RFC 2033 forbids it between servers. */
const WITHIN_SERVER = /\bwith\s+(?:utf8)?lmtps?a?\b/i

/**
 * Whether our own mail server verified the sender's domain: the newest `Authentication-Results` under the server's name
 * must say `dmarc=pass` for the domain. The server writes above everything that the mail came with, so headers below
 * another hop's first `Received` can be forged. A null `authservId` verifies no domain.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8601
 */
export function isDomainVerified(
  headers: readonly Header[],
  authservId: string | null,
  domain: string,
): boolean {
  const own = resultsIn(headers).find(({ id, isAbove }) => isAbove && id === authservId)
  const dmarc = own?.results.filter((result) => /^dmarc\s*[=/]/i.test(result)) ?? []
  return dmarc.length === 1 && isPass(dmarc[0] ?? '', domain)
}

interface Results {
  /** The name of the server that claims to have written the results, in lower case. */
  id: string
  results: string[]
  /** Whether the results stand above the first `Received`, so that our own mail server wrote them. */
  isAbove: boolean
}

/** Returns the mail's `Authentication-Results`, the newest first. */
export function resultsIn(headers: readonly Header[]): Results[] {
  const found: Results[] = []
  let isAbove = true
  for (const { key, value } of headers) {
    if (key === 'received' && !WITHIN_SERVER.test(unquoted(value).text)) isAbove = false
    if (key !== 'authentication-results') continue
    const [id = '', ...results] = unquoted(value).text.split(';')
    found.push({
      id: id.trim().split(/\s/)[0]?.toLowerCase() ?? '',
      results: results.map((result) => result.trim()),
      isAbove,
    })
  }
  return found
}

function isPass(result: string, domain: string): boolean {
  if (!/^dmarc\s*=\s*pass(?:\s|$)/i.test(result)) return false
  const named = [...result.matchAll(/\bheader\.from\s*=\s*([^\s]+)/gi)].map(([, name]) => name?.toLowerCase())
  return named.length === 1 && named[0] === domain.toLowerCase()
}

/**
 * Reads a structured header: each comment becomes a space, and each quoted text becomes a quotation mark. `quotes` has
 * the quoted texts in their order, and `isClosed` is false if a comment or a quoted text lacks its end. Takes linear
 * time.
 * @see https://www.rfc-editor.org/rfc/rfc5322#section-3.2
 */
export function unquoted(value: string): { text: string; quotes: string[]; isClosed: boolean } {
  let text = ''
  const quotes: string[] = []
  let depth = 0
  let isQuoted = false
  let isEscaped = false
  let quote = ''
  for (const sign of value) {
    if (isEscaped) {
      isEscaped = false
      quote += sign
    } else if (sign === '\\' && (isQuoted || depth > 0)) isEscaped = true
    else if (isQuoted) {
      isQuoted = sign !== '"'
      if (isQuoted) quote += sign
      else quotes.push(quote)
    } else if (sign === '(') {
      depth += 1
      text += ' '
    } else if (depth > 0) depth -= sign === ')' ? 1 : 0
    else {
      isQuoted = sign === '"'
      quote = ''
      text += sign
    }
  }
  return { text, quotes, isClosed: !isQuoted && depth === 0 }
}
