import { bodyOf } from '../../lib/api.ts'
import { pageState } from '../../lib/page-state.ts'
import { saveFile } from '../../lib/save-file.ts'
import { withToken } from '../../lib/session.ts'

/** Downloads a CSV file that only admins may read. Rejects as a call does. */
export async function saveCsv(path: string, name: string): Promise<void> {
  const csv = await withToken((token) => readCsv(path, token))
  saveFile(new Blob([csv], { type: 'text/csv' }), name)
}

async function readCsv(path: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(pageState().apiPrefix + path, { headers, cache: 'no-store' })
  const text = await response.text()
  const { ok, status } = response
  return ok ? text : bodyOf({ status, text, header: (name) => response.headers.get(name) })
}
