interface Header {
  key: string
  value: string
}

/**
 * Whether the own mail server verified the domain of the sender: the newest `Authentication-Results` under its name says
 * `dmarc=pass` for it. Servers add theirs above those that the mail came with, and remove those under their own name.
 * @see https://www.rfc-editor.org/rfc/rfc8601
 */
export function isDomainVerified(headers: readonly Header[], authservId: string, domain: string): boolean {
  for (const { key, value } of headers) {
    if (key !== 'authentication-results') continue
    const [id = '', ...results] = unquoted(value).text.split(';')
    if (id.trim().split(/\s/)[0]?.toLowerCase() !== authservId) continue
    const dmarc = results.map((result) => result.trim()).filter((result) => /^dmarc\s*[=/]/i.test(result))
    return dmarc.length === 1 && isPass(dmarc[0] ?? '', domain)
  }
  return false
}

function isPass(result: string, domain: string): boolean {
  if (!/^dmarc\s*=\s*pass(?:\s|$)/i.test(result)) return false
  const named = [...result.matchAll(/\bheader\.from\s*=\s*([^\s]+)/gi)].map(([, name]) => name?.toLowerCase())
  return named.length === 1 && named[0] === domain.toLowerCase()
}

/**
 * A structured header without comments, which leave a space, and without quoted text, which leaves a quotation mark.
 * `isClosed`: none of them lacks its end. Takes linear time.
 * @see https://www.rfc-editor.org/rfc/rfc5322#section-3.2
 */
export function unquoted(value: string): { text: string; isClosed: boolean } {
  let text = ''
  let depth = 0
  let isQuoted = false
  let isEscaped = false
  for (const sign of value) {
    if (isEscaped) isEscaped = false
    else if (sign === '\\' && (isQuoted || depth > 0)) isEscaped = true
    else if (isQuoted) isQuoted = sign !== '"'
    else if (sign === '(') {
      depth += 1
      text += ' '
    } else if (depth > 0) depth -= sign === ')' ? 1 : 0
    else {
      isQuoted = sign === '"'
      text += sign
    }
  }
  return { text, isClosed: !isQuoted && depth === 0 }
}
