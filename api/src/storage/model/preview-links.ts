import { Hash, Id, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** The link with which a post can be read before it is published. A post has one at most. */
export interface PreviewLinkRecord {
  /** The post's ID. */
  _id: string
  /** The SHA-256 hash of the link's token. */
  hash: string
  expiresAt: number
}

export const PREVIEW_LINKS: PlainTable<PreviewLinkRecord> = {
  name: 'previewLinks',
  key: '_id',
  fields: { _id: Id, hash: Hash, expiresAt: Time },
  indexes: { hash: { by: { hash: 1 } }, expiry: { by: { expiresAt: 1 } } },
}

export function openPreviewLinks(links: Rows<PreviewLinkRecord>) {
  return {
    /** Stores the post's link, which replaces an earlier one, and removes the links that have expired at `now`. */
    async replace({ _id, ...link }: PreviewLinkRecord, now: number): Promise<void> {
      // Another call may insert or remove the row between the two writes.
      while ((await links.update({ _id }, link)) === 'missing') {
        if (await links.insert({ _id, ...link })) break
      }
      await links.remove({ expiresAt: { '<=': now } })
    },
    /** Returns null when the link is missing or has expired at `now`. */
    findByHash: (hash: string, now: number) => links.find({ hash, expiresAt: { '>': now } }),
    /** Returns the post's link, or null when there is none or it has expired at `now`. */
    ofPost: (_id: string, now: number) => links.find({ _id, expiresAt: { '>': now } }),
    /** Returns false when there is none. */
    remove: async (_id: string) => (await links.remove({ _id })) === 1,
  }
}
