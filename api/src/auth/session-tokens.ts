import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { ID_PATTERN } from '@proctorpass/shared/limits'

const SESSION_ID = new RegExp(ID_PATTERN)

/**
 * Computes refresh tokens and the tokens that mark known browsers.
 * @see docs/decisions/0006-refresh-tokens.md
 */
export function createSessionTokens(secret: string, previousSecret: string | undefined) {
  // The current secret signs; both verify.
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  const refreshKeys = secrets.map((each) => deriveKey(each, 'refresh token'))
  const knownKeys = secrets.map((each) => deriveKey(each, 'known browser'))
  return {
    /**
     * Returns the tokens that may follow a refresh token: first by the current secret, and then by the previous one.
     */
    successorsOf: (token: string): string[] => refreshKeys.map((key) => sign(key, token)),
    /** Makes the token that marks a browser on which this user has signed in. */
    knownToken: (userId: string): string => `${userId}.${sign(knownKeys[0] as Buffer, userId)}`,
    /** Returns the user of a known browser's token; null for any other text. */
    knownUserId(token: string | undefined): string | null {
      const [userId = '', mac = ''] = token?.split('.') ?? []
      return knownKeys.some((key) => isSame(mac, sign(key, userId))) ? userId : null
    },
  }
}

export type SessionTokens = ReturnType<typeof createSessionTokens>

/**
 * Makes a session's ID and first token. The ID is random, unlike newId's: if it could be guessed, a made-up token could
 * end a session.
 */
export function randomSession(): { sid: string; token: string } {
  return { sid: randomBytes(12).toString('hex'), token: randomToken() }
}

/** Makes a random token of 256 bits in base64url, for example for an invitation. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Splits `<sid>.<token>`; null for any other text. */
export function parseRefreshToken(refreshToken: string | undefined): { sid: string; token: string } | null {
  const [sid = '', token = '', ...rest] = refreshToken?.split('.') ?? []
  const isToken = SESSION_ID.test(sid) && /^[A-Za-z0-9_-]{43}$/.test(token) && rest.length === 0
  return isToken ? { sid, token } : null
}

export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Derives one key for each purpose, so that a signature for one purpose is invalid for another. */
function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `proctorpass ${purpose}`, 32))
}

function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
