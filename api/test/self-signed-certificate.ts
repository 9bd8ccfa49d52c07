import { generateKeyPairSync, sign } from 'node:crypto'

/** One ASN.1 value. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  return Buffer.concat([Buffer.from(length < 128 ? [tag, length] : [tag, 0x81, length]), content])
}

const SEQUENCE = 0x30
const ED25519 = der(SEQUENCE, Buffer.from('06032b6570', 'hex'))

/** A new key and a certificate of localhost for it, which no client trusts by itself. Both times are before 2050. */
export function selfSignedCertificate(
  valid = { from: new Date('2020-01-01'), until: new Date('2049-01-01') },
): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const commonName = der(SEQUENCE, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('localhost')))
  const name = der(SEQUENCE, der(0x31, commonName))
  const [from, until] = [valid.from, valid.until].map((time) =>
    der(0x17, Buffer.from(time.toISOString().replace(/^..|[-T:]|\.\d+/g, ''))),
  )
  const toBeSigned = der(
    SEQUENCE,
    der(0x02, Buffer.from([1])),
    ED25519,
    name,
    der(SEQUENCE, from as Buffer, until as Buffer),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign(null, toBeSigned, privateKey))
  const body = der(SEQUENCE, toBeSigned, ED25519, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}
