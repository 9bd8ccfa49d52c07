import { useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { saveCsv } from './save-csv.ts'

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
    <button
      type="button"
      className="button button-quiet button-small"
      aria-disabled={busy}
      onClick={() => busy || void save()}
    >
      Export as CSV
    </button>
  )
}
