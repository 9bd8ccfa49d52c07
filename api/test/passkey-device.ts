import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { NewPasskey, PasskeyAnswer, PasskeyOptions } from '@proctorpass/shared/schemas/factors'
import { isoCBOR } from '@simplewebauthn/server/helpers'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const HAS_CREDENTIAL = 0x40

/** What a browser would do differently. */
interface Differently {
  origin?: string
  rpId?: string
  challenge?: string
  counter?: number
  isVerified?: boolean
  userHandle?: string | undefined
}

/** An authenticator and the browser in front of it: makes one passkey (ES256) and signs with it. */
export class PasskeyDevice {
  readonly id = randomBytes(32).toString('base64url')
  counter = 1
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject }
  userHandle = ''

  constructor() {
    this.#key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  }

  create({ origin, options }: PasskeyOptions, name: string, differently: Differently = {}): NewPasskey {
    const { challenge, rp, user } = options as {
      challenge: string
      rp: { id: string }
      user: { id: string }
    }
    this.userHandle = user.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([Buffer.alloc(16), length, id, this.#coseKey()])
    const authData = Buffer.concat([
      this.#authData(differently.rpId ?? rp.id, HAS_CREDENTIAL, differently),
      credential,
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return {
      name,
      response: {
        ...this.#credential(),
        response: {
          clientDataJSON: clientData('webauthn.create', { challenge, origin, ...differently }),
          attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
          transports: ['internal'],
        },
      },
    }
  }

  sign({ origin, options }: PasskeyOptions, differently: Differently = {}): PasskeyAnswer {
    const { challenge, rpId } = options as { challenge: string; rpId: string }
    this.counter += 1
    const authData = this.#authData(differently.rpId ?? rpId, 0, differently)
    const clientDataJSON = clientData('webauthn.get', { challenge, origin, ...differently })
    const signed = createSign('sha256')
      .update(authData)
      .update(sha256(Buffer.from(clientDataJSON, 'base64url')))
    return {
      ...this.#credential(),
      response: {
        clientDataJSON,
        authenticatorData: authData.toString('base64url'),
        signature: signed.sign(this.#key.privateKey).toString('base64url'),
        userHandle: differently.userHandle ?? this.userHandle,
      },
    }
  }

  #credential() {
    return { id: this.id, rawId: this.id, type: 'public-key' as const, clientExtensionResults: {} }
  }

  #authData(rpId: string, flags: number, { counter = this.counter, isVerified = true }: Differently): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const all = flags | USER_PRESENT | (isVerified ? USER_VERIFIED : 0)
    return Buffer.concat([sha256(rpId), Buffer.from([all]), count])
  }

  #coseKey(): Uint8Array {
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' })
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
    // kty: EC2, alg: ES256, crv: P-256, x, y
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ])
    return isoCBOR.encode(key as never)
  }
}

function clientData(type: string, { challenge, origin }: { challenge: string; origin: string }): string {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url')
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
