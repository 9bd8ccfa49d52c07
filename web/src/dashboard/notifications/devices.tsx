import type { PushDevice } from '@proctorpass/shared/schemas/push'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { DeviceIcon } from '../ui/device-icon.tsx'
import { Loading } from '../ui/loading.tsx'
import { devicesQuery, forget, unsubscribe } from './subscription.ts'

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Lists the admin's browsers that receive push notifications. */
export function Devices() {
  const { data, error, isPending } = useQuery(devicesQuery)
  const queryClient = useQueryClient()
  const { mutate, isPending: isRemoving } = useMutation({
    mutationFn: ({ _id, current }: PushDevice) => (current ? unsubscribe() : forget({ _id })),
    onSuccess: () => toast.success('Device removed'),
    onError: (failure) => toast.error(errorMessage(failure)),
    onSettled: () => queryClient.invalidateQueries(devicesQuery),
  })
  return (
    <>
      <h3 className="notifications-heading">Devices with push notifications</h3>
      {isPending && <Loading />}
      {error && (
        <p role="alert" className="field-error">
          {errorMessage(error)}
        </p>
      )}
      {data?.devices.length === 0 && <p className="field-hint">No devices yet.</p>}
      <ul className="card row-list">
        {data?.devices.map((device) => (
          <li key={device._id}>
            <DeviceIcon name={device.label} />
            <p>
              <bdi>{device.label}</bdi>
              {device.current && <b> (this device)</b>}
              <span className="field-hint">
                Added {DAY_AND_TIME.format(new Date(device.createdAt))}
                {device.previews && ', shows message text'}
              </span>
            </p>
            <button
              type="button"
              className="button button-s button-quiet button-red"
              disabled={isRemoving}
              onClick={() => mutate(device)}
            >
              Remove <span className="visually-hidden">{device.label}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
