const STORE = 'files'

/**
 * Reads a draft's file, which is too large for localStorage. Resolves with null if there is none, or if the browser
 * stores nothing.
 */
export async function readDraftFile(key: string): Promise<File | null> {
  const file = await inStore('readonly', (files) => files.get(key)).catch(() => null)
  return file instanceof File ? file : null
}

/** Stores a draft's file. Null removes it. */
export async function writeDraftFile(key: string, file: File | null): Promise<void> {
  await inStore('readwrite', (files) => (file ? files.put(file, key) : files.delete(key))).catch(() => {})
}

/** Runs one request in its own transaction. Resolves with the result once the transaction is committed. */
function inStore(mode: IDBTransactionMode, make: (files: IDBObjectStore) => IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('drafts', 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
    opening.onerror = () => reject(opening.error)
    opening.onsuccess = () => {
      const database = opening.result
      const transaction = database.transaction(STORE, mode)
      const request = make(transaction.objectStore(STORE))
      transaction.oncomplete = () => {
        database.close()
        resolve(request.result)
      }
      transaction.onabort = () => {
        database.close()
        reject(transaction.error)
      }
    }
  })
}
