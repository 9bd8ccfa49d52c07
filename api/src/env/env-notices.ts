import type { InboundSettings } from './inbound-settings.ts'

interface Noticed {
  publicUrl: string
  publicUrlIsSet: boolean
  inbound: InboundSettings | null
}

/** Variables whose values visitors see, and whose defaults are examples. */
const SHOWN = ['SUPPORT_EMAIL', 'CONTACT_WHATSAPP', 'CONTACT_DISCORD', 'CONTACT_TELEGRAM']
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
/** Names shorter than this resemble too many others. */
const SIMILAR_LENGTH_MIN = 8

/**
 * Returns what the operator should look at: names that differ from one in `known` by up to two letters, example values
 * that a public site's visitors would see, and answers by mail that no server verifies.
 */
export function environmentNotices(
  source: Record<string, string | undefined>,
  known: ReadonlySet<string>,
  { publicUrl, publicUrlIsSet, inbound }: Noticed,
): string[] {
  const notices: string[] = []
  for (const name of Object.keys(source)) {
    if (known.has(name) || name.length < SIMILAR_LENGTH_MIN - 1) continue
    const similar = [...known].find((other) => isSimilar(name.toUpperCase(), other))
    if (similar !== undefined) notices.push(`${name} is not used. Did you mean ${similar}?`)
  }
  const examples = SHOWN.filter((name) => !source[name])
  if (publicUrlIsSet && !LOOPBACK.test(new URL(publicUrl).hostname) && examples.length > 0) {
    notices.push(`Visitors see examples, because these are not set: ${examples.join(', ')}.`)
  }
  if (inbound !== null && inbound.authservId === null) {
    notices.push(
      'INBOUND_AUTHSERV is not set, so no sender is verified and each answer by mail waits for an admin. `doctor` shows its name.',
    )
  }
  return notices
}

function isSimilar(name: string, known: string): boolean {
  return (
    known.length >= SIMILAR_LENGTH_MIN &&
    Math.abs(name.length - known.length) <= 2 &&
    areWithin(2, name, known)
  )
}

/**
 * Whether at most this many inserted, deleted, or replaced letters turn one name into the other (Levenshtein distance).
 */
function areWithin(edits: number, a: string, b: string): boolean {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let index = 0; index < a.length; index++) {
    const next = [index + 1]
    for (let at = 0; at < b.length; at++) {
      const replaced = (row[at] as number) + Number(a[index] !== b[at])
      next.push(Math.min(replaced, (row[at + 1] as number) + 1, (next[at] as number) + 1))
    }
    row = next
    // A row's minimum never shrinks, so the loop can stop. Most names differ in their first letters.
    if (Math.min(...row) > edits) return false
  }
  return (row[b.length] as number) <= edits
}
