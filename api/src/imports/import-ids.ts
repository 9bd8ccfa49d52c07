import { createHmac } from 'node:crypto'
import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'
import { IMPORT_NONCE } from '../storage/model/conversation/imports.ts'
import type { Source } from './foreign.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

export type ImportIds = ReturnType<typeof createImportIds>

/**
 * Returns the IDs under which an import stores things. The same thing gets the same ID in each run. The store's secret
 * makes the IDs unknown to others, so no visitor can begin a conversation under one of them.
 */
export function createImportIds(secret: string, source: Source) {
  const hashOf = (...parts: string[]) =>
    createHmac('sha256', secret).update(JSON.stringify([source, ...parts]))
  return {
    clientId(conversation: string): string {
      let rest = BigInt(`0x${hashOf('conversation', conversation).digest('hex')}`)
      let id = ''
      for (; id.length < CLIENT_ID_LENGTH; rest /= 62n) id += ALPHABET[Number(rest % 62n)]
      return id
    },
    /** A visitor key's hash. No person has the key. */
    keyHash: (conversation: string) => hashOf('key', conversation).digest('base64url'),
    nonce: (conversation: string, item: string, part: number) =>
      IMPORT_NONCE + hashOf('item', conversation, item, String(part)).digest('base64url'),
    replyId: (shortcut: string) => hashOf('reply', shortcut).digest('hex').slice(0, 24),
  }
}
