import { createPublicKey, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { vapidAuthorization } from './vapid.ts'

const fromBase64 = (text: string) => Buffer.from(text, 'base64url')

// RFC 8291, appendix A.
const PUBLIC_KEY = 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8'
const PRIVATE_KEY = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'

it('signs for the origin, so that the public key verifies it', () => {
  const keys = { publicKey: PUBLIC_KEY, privateKey: PRIVATE_KEY }
  const header = vapidAuthorization('https://push.example', 'mailto:help@acme.example', keys)
  const [, head = '', claims = '', signature = '', key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]{86}), k=([\w-]{87})$/.exec(header) ?? []
  expect(key).toBe(PUBLIC_KEY)
  expect(JSON.parse(fromBase64(head).toString())).toEqual({ typ: 'JWT', alg: 'ES256' })
  const { exp, ...rest } = JSON.parse(fromBase64(claims).toString())
  expect(rest).toEqual({ aud: 'https://push.example', sub: 'mailto:help@acme.example' })
  // Push services refuse more than a day.
  expect(exp * 1_000 - Date.now()).toBeLessThan(24 * 60 * 60 * 1_000)
  const point = fromBase64(PUBLIC_KEY)
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const how = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), how, fromBase64(signature))).toBe(true)
})
