import { Spinner } from '../../components/spinner.tsx'
import { errorMessage } from '../../lib/error-message.ts'

export function Loading() {
  return (
    <p className="dashboard-loading" role="status">
      <Spinner />
      Loading
    </p>
  )
}

/** Rendered in place of something that could not be loaded. */
export function LoadFailed({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  return (
    <div className="empty-state" role="alert">
      <p className="list-words">{errorMessage(error)}</p>
      <button type="button" className="button" onClick={() => void onRetry()}>
        Try again
      </button>
    </div>
  )
}
