import { ChevronRight } from 'virtual:icons'
import type { VersionList, Writer } from '@proctorpass/shared/schemas/text'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { shownTime } from '../ui/shown-time.ts'
import type { ComparedPart } from './compared-words.ts'
import { Differences } from './differences.tsx'
import './versions.css'

export interface VersionSource {
  /** Names what has the versions in the cache. */
  name: string
  list: (signal: AbortSignal) => Promise<VersionList>
  /** Reads one version's words. */
  read: (n: number, signal: AbortSignal) => Promise<readonly ComparedPart[]>
  /** Stores an earlier version as the next one, and shows it. Resolves with the notice. */
  restore: (n: number, version: number) => Promise<string>
  /** Whether version 0 is what ships. */
  isShipped: boolean
}

interface HistoryDialogProps {
  source: VersionSource
  /** The stored version, and its words. */
  present: { version: number; parts: readonly ComparedPart[] }
  lang: string
  /** Whether the form has changes that restoring would discard. */
  isDirty: boolean
  onClose: () => void
}

interface ShownVersion {
  n: number
  at: string | null
  by: Writer
}

/** Lists the kept versions. Each is compared with the present one, and can be restored. */
export function HistoryDialog({ source, present, lang, isDirty, onClose }: HistoryDialogProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['versions', source.name],
    queryFn: ({ signal }) => source.list(signal),
    gcTime: 0,
  })
  const [isBusy, setBusy] = useState(false)

  async function restore(n: number): Promise<void> {
    setBusy(true)
    try {
      const notice = await source.restore(n, present.version)
      toast.success(notice)
      onClose()
    } catch (failure) {
      toast.error(errorMessage(failure))
      setBusy(false)
    }
  }

  const versions: readonly ShownVersion[] = data?.versions ?? []
  const earlier = versions.filter(({ n }) => n !== present.version)
  const shipped: ShownVersion[] =
    source.isShipped && present.version > 0 ? [{ n: 0, at: null, by: null }] : []
  const all = [...earlier, ...shipped]
  return (
    <Dialog title="History" busy={isBusy} onClose={onClose}>
      {!data && !error && <Loading />}
      {error && <LoadFailed error={error} onRetry={refetch} />}
      {data && all.length === 0 && (
        <p>There are no earlier versions yet. Each save keeps the one before it.</p>
      )}
      {data && isDirty && all.length > 0 && (
        <p className="work-note" data-tone="amber">
          Save or discard your changes before you restore a version.
        </p>
      )}
      {data && (
        <ol className="versions" aria-label="Versions">
          {versions
            .filter(({ n }) => n === present.version)
            .map((version) => (
              <li key={version.n}>
                <p className="version-head">
                  <VersionName version={version} />
                  <span className="chip" data-tone="green">
                    Now
                  </span>
                </p>
              </li>
            ))}
          {all.map((version, index) => (
            <EarlierVersion
              key={version.n}
              version={version}
              source={source}
              present={present.parts}
              lang={lang}
              isOpen={index === 0}
              isDisabled={isDirty || isBusy}
              onRestore={() => void restore(version.n)}
            />
          ))}
        </ol>
      )}
    </Dialog>
  )
}

interface EarlierVersionProps {
  version: ShownVersion
  source: VersionSource
  present: readonly ComparedPart[]
  lang: string
  /** Whether it is open at first. */
  isOpen: boolean
  isDisabled: boolean
  onRestore: () => void
}

function EarlierVersion({
  version,
  source,
  present,
  lang,
  isOpen,
  isDisabled,
  onRestore,
}: EarlierVersionProps) {
  const [open, setOpen] = useState(isOpen)
  const { data, error, refetch } = useQuery({
    enabled: open,
    queryKey: ['version', source.name, version.n],
    queryFn: ({ signal }) => source.read(version.n, signal),
    gcTime: 0,
  })
  return (
    <li>
      <div className="version-head">
        <VersionName version={version} />
        <button
          type="button"
          className="button button-s"
          aria-describedby={`version-${version.n}`}
          disabled={isDisabled}
          onClick={onRestore}
        >
          Restore
        </button>
      </div>
      <details
        className="disclosure"
        open={open}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>
          <Icon of={ChevronRight} />
          Changes since then
        </summary>
        {open && !data && !error && <Loading />}
        {error && <LoadFailed error={error} onRetry={refetch} />}
        {data && <Differences before={data} after={present} lang={lang} />}
      </details>
    </li>
  )
}

function VersionName({ version: { n, at, by } }: { version: ShownVersion }) {
  if (n === 0) {
    return (
      <p className="version-name" id="version-0">
        <b>Shipped text</b> <span>What this release ships</span>
      </p>
    )
  }
  return (
    <p className="version-name" id={`version-${n}`}>
      <b>Version {n}</b>{' '}
      <span>
        {at !== null && <time dateTime={at}>{shownTime(at)}</time>}
        {by !== null && (
          <>
            {' by '}
            <bdi>{by.name}</bdi>
          </>
        )}
      </span>
    </p>
  )
}
