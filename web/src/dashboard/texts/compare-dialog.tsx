import { useQuery } from '@tanstack/react-query'
import { Dialog } from '../ui/dialog.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import type { ComparedPart } from '../versions/compared-words.ts'
import { Differences } from '../versions/differences.tsx'

interface CompareDialogProps {
  /** Reads the words that ship now. */
  read: (signal: AbortSignal) => Promise<readonly ComparedPart[]>
  name: string
  /** The words in the form. */
  own: readonly ComparedPart[]
  onClose: () => void
}

/** Compares what is in the form with what this release ships. */
export function CompareDialog({ read, name, own, onClose }: CompareDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['version', name, 0],
    queryFn: ({ signal }) => read(signal),
    gcTime: 0,
  })
  return (
    <Dialog title="Compare with the shipped text" onClose={onClose}>
      <p>
        Words that are only in the shipped text are crossed out, and words that are only in yours are
        underlined.
      </p>
      {!data && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      <div className="versions">{data && <Differences before={data} after={own} lang="en" />}</div>
    </Dialog>
  )
}
