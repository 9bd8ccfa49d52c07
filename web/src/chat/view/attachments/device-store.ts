import type { DeviceStore } from '../../engine/conversation-attachments.ts'

const DATABASE = 'chat-files'
const TABLE = 'files'
/** Bytes that no message and no draft names are removed after this time. */
const ORPHAN_MS = 7 * 24 * 60 * 60 * 1_000

/** A stored file. It is not a Blob, because some browsers store no Blobs in private windows. */
interface StoredFile {
  bytes: ArrayBuffer
  type: string
  at: number
}

let opened: Promise<IDBDatabase> | null = null

/** Stores files in IndexedDB, which tabs share. Every call rejects if the browser forbids only IndexedDB. */
const databaseStore: DeviceStore = {
  async put(nonce, blob) {
    const stored: StoredFile = { bytes: await blob.arrayBuffer(), type: blob.type, at: Date.now() }
    await run('readwrite', (table) => table.put(stored, nonce))
  },
  async get(nonce) {
    const stored = await run<StoredFile | undefined>('readonly', (table) => table.get(nonce))
    return stored ? new Blob([stored.bytes], { type: stored.type }) : null
  },
  async remove(nonces) {
    await run('readwrite', (table) => {
      for (const nonce of nonces) table.delete(nonce)
      return undefined
    })
  },
}

const filesOfPage = new Map<string, Blob>()

/**
 * Stores files in memory. If the browser forbids all storage, messages live as long as the page, and so do their files.
 */
const pageStore: DeviceStore = {
  async put(nonce, blob) {
    filesOfPage.set(nonce, blob)
  },
  async get(nonce) {
    return filesOfPage.get(nonce) ?? null
  },
  async remove(nonces) {
    for (const nonce of nonces) filesOfPage.delete(nonce)
  },
}

export function deviceStore(): DeviceStore {
  try {
    return window.localStorage === null ? pageStore : databaseStore
  } catch {
    // Reading the property throws if the browser forbids storage.
    return pageStore
  }
}

/** Resolves once the write is on the disk. */
async function run<T>(
  mode: IDBTransactionMode,
  work: (table: IDBObjectStore) => IDBRequest | undefined,
): Promise<T> {
  opened ??= open()
  const transaction = (await opened).transaction(TABLE, mode)
  return new Promise<T>((resolve, reject) => {
    const request = work(transaction.objectStore(TABLE))
    transaction.oncomplete = () => resolve(request?.result as T)
    transaction.onabort = () => reject(transaction.error)
  })
}

function open(): Promise<IDBDatabase> {
  return new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE)
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const database = request.result
      // Another tab deletes or changes the database, so this tab must open it again.
      database.onversionchange = () => {
        database.close()
        opened = null
      }
      database.onclose = () => {
        opened = null
      }
      sweep(database)
      resolve(database)
    }
  }).catch((error: unknown) => {
    opened = null
    throw error
  })
}

/** Removes what a crash has left. */
function sweep(database: IDBDatabase): void {
  const named = JSON.stringify([{ ...localStorage }, { ...sessionStorage }])
  const request = database.transaction(TABLE, 'readwrite').objectStore(TABLE).openCursor()
  request.onsuccess = () => {
    const cursor = request.result
    if (!cursor) return
    const { at } = cursor.value as StoredFile
    if (Date.now() - at > ORPHAN_MS && !named.includes(String(cursor.key))) cursor.delete()
    cursor.continue()
  }
}
