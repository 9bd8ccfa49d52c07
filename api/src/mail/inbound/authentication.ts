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
    const [id = '', ...results] = partsOf(value)
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

/** Split at semicolons, without comments and quoted text. Takes linear time. */
function partsOf(value: string): string[] {
  const parts = ['']
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < value.length; at += 1) {
    const sign = value.charAt(at)
    if (sign === '\\') at += 1
    else if (isQuoted) isQuoted = sign !== '"'
    else if (sign === '"' && depth === 0) isQuoted = true
    else if (sign === '(') depth += 1
    else if (sign === ')' && depth > 0) depth -= 1
    else if (depth > 0) continue
    else if (sign === ';') parts.push('')
    else parts[parts.length - 1] += sign
  }
  return parts
}
