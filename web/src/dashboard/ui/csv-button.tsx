import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { useState } from 'react'
import { toast } from '../../components/toast.ts'
import { bodyOf, isOurs, newCall, unreachable } from '../../lib/api.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { pageState } from '../../lib/page-state.ts'
import { saveFile } from '../../lib/save-file.ts'
import { withToken } from '../../lib/session.ts'

export function CsvButton({ path, name }: { path: string; name: string }) {
  const [busy, setBusy] = useState(false)
  async function save(): Promise<void> {
    setBusy(true)
    try {
      await saveCsv(path, name)
    } catch (error) {
      toast.error(errorMessage(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <button type="button" className="button" aria-disabled={busy} onClick={() => busy || void save()}>
      Export as CSV
    </button>
  )
}

/** Downloads a CSV file that only admins may read. Rejects as `callAsAdmin` does. */
async function saveCsv(path: string, name: string): Promise<void> {
  const csv = await withToken((token) => readCsv(path, token))
  saveFile(new Blob([csv], { type: 'text/csv' }), name)
}

async function readCsv(path: string, token: string): Promise<string> {
  const call = newCall()
  const headers = { authorization: `Bearer ${token}`, [CALL_HEADER]: call.name }
  const response = await fetch(pageState().apiPrefix + path, { headers, cache: 'no-store' }).catch(
    (cause) => {
      throw unreachable(cause)
    },
  )
  const text = await response.text()
  return response.ok && isOurs(call, response) ? text : bodyOf(call, response, text)
}
