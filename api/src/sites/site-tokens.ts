import { isLonger, isStorable, lineProblem } from '@proctorpass/shared/fields/text'
import { EMAIL_MAX, EMAIL_PATTERN, PROFILE_NAME_MAX, SUB_MAX } from '@proctorpass/shared/limits'
import { createVerifier } from 'fast-jwt'

const LEEWAY_MS = 60_000
const AHEAD_MAX_MS = 24 * 60 * 60 * 1_000
const TOKEN_LENGTH_MAX = 8_192
const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

/** What a site says about a visitor. */
export interface SiteClaims {
  sub: string
  name: string | null
  email: string | null
}

/**
 * Returns the claims of a token that one of the secrets signed with HS256, and that secret. Throws an Error whose
 * message gives the reason, for the server's log.
 */
export function verifySiteToken<Secret extends { text: string }>(
  token: string,
  secrets: readonly Secret[],
  now: number,
): { claims: SiteClaims; secret: Secret } {
  if (token.length > TOKEN_LENGTH_MAX) throw new Error('the token is too long')
  if (secrets.length === 0) throw new Error('the site has no secret that this server can read')
  let cause: unknown
  for (const secret of secrets) {
    const verify = createVerifier({
      key: secret.text,
      algorithms: ['HS256'],
      requiredClaims: ['sub', 'exp'],
      clockTimestamp: now,
      clockTolerance: LEEWAY_MS,
      cache: false,
    })
    try {
      const payload = verify(token) as Record<string, unknown>
      return { claims: claimsOf(payload, now), secret }
    } catch (error) {
      // The other secret's signature is always wrong, so the more telling cause counts.
      if (cause === undefined || !isWrongSignature(error)) cause = error
    }
  }
  throw cause
}

function claimsOf({ sub, exp, iat, name, email }: Record<string, unknown>, now: number): SiteClaims {
  if (typeof sub !== 'string' || sub === '' || isLonger(sub, SUB_MAX) || !isStorable(sub)) {
    throw new Error(`its sub is not a text of 1 to ${SUB_MAX} characters`)
  }
  if (typeof exp !== 'number' || exp * 1_000 > now + AHEAD_MAX_MS + LEEWAY_MS) {
    throw new Error('its exp is more than 24 hours ahead')
  }
  if (iat !== undefined && (typeof iat !== 'number' || iat * 1_000 > now + LEEWAY_MS)) {
    throw new Error('its iat is in the future')
  }
  return {
    sub,
    name: textOf('name', name, (text) => lineProblem(text, PROFILE_NAME_MAX) === null),
    email: textOf('email', email, (text) => !isLonger(text, EMAIL_MAX) && EMAIL.test(text)),
  }
}

function textOf(claim: string, value: unknown, isGood: (text: string) => boolean): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string' || !isGood(value)) throw new Error(`its ${claim} cannot be used`)
  return value
}

function isWrongSignature(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'FAST_JWT_INVALID_SIGNATURE'
}
