import { ChevronRight } from 'virtual:icons'
import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { Delivery, DeliveryPage, Endpoint } from '@proctorpass/shared/schemas/endpoint'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RelativeTime } from '../../chat/view/relative-clock.tsx'
import { Icon } from '../../components/icon.tsx'
import { callAsAdmin } from '../../lib/session.ts'
import { CopyBox } from '../ui/copy-box.tsx'
import { LoadFailed, Loading } from '../ui/loading.tsx'

const REFETCH_MS = 5_000

/** Lists an endpoint's deliveries, which are loaded once an admin opens the list. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="disclosure" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon of={ChevronRight} />
        Deliveries <span className="visually-hidden">to {endpoint.name}</span>
      </summary>
      {isOpen && <List endpoint={endpoint} />}
    </details>
  )
}

function List({ endpoint: { _id } }: { endpoint: Endpoint }) {
  const list = useInfiniteQuery({
    queryKey: ['deliveries', _id],
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === undefined ? '' : `?cursor=${pageParam}`
      return callAsAdmin<DeliveryPage>(integrationPaths.endpointDeliveries(_id) + query, { signal })
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: REFETCH_MS,
  })
  const deliveries = list.data?.pages.flatMap((page) => page.deliveries)
  return (
    <>
      {list.isPending && !list.error && <Loading />}
      {deliveries === undefined && list.error && <LoadFailed error={list.error} onRetry={list.refetch} />}
      {deliveries?.length === 0 && <p>Nothing has been sent yet.</p>}
      {deliveries !== undefined && deliveries.length > 0 && (
        <ol className="deliveries" aria-label="Deliveries, newest first">
          {deliveries.map((delivery) => (
            <Row key={`${delivery.at} ${delivery.event} ${delivery.attempt}`} delivery={delivery} />
          ))}
        </ol>
      )}
      {list.hasNextPage && (
        <button
          type="button"
          className="button button-s"
          aria-disabled={list.isFetchingNextPage}
          onClick={() => list.isFetchingNextPage || list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? 'Loading...' : 'Older deliveries'}
        </button>
      )}
    </>
  )
}

function Row({ delivery }: { delivery: Delivery }) {
  const { event, type, at, attempt, status, error, ms, answer, request } = delivery
  const isFine = error === null
  return (
    <li>
      <details className="disclosure">
        <summary>
          <Icon of={ChevronRight} />
          <span>
            {event === 0 ? 'Test' : `${type} #${event}`}{' '}
            <span className="delivery-result" data-fine={isFine}>
              {isFine ? 'delivered' : 'failed'}
            </span>
            {attempt > 1 && ` (attempt ${attempt})`} · <RelativeTime iso={at} />
          </span>
        </summary>
        <p>
          {error === null ? `Responded with ${status}` : error} after {ms} ms.
        </p>
        {request === null ? (
          <p>This event is no longer stored.</p>
        ) : (
          <CopyBox label="Request" text={JSON.stringify(request, null, 2)} />
        )}
        {answer !== '' && <CopyBox label="Response" text={answer} />}
      </details>
    </li>
  )
}
