import { Spinner } from '../../components/spinner.tsx'

export function Loading() {
  return (
    <p className="dashboard-loading" role="status">
      <Spinner />
      Loading
    </p>
  )
}
