import { BellRing } from 'virtual:icons'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { toast } from '../../components/toast.ts'
import { useAuth } from '../../lib/auth-store.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { choose, useNotificationChoices } from '../../lib/notification-choices.ts'
import { accountQuery } from '../ui/account.tsx'
import { Group } from '../ui/group.tsx'
import { Switch } from '../ui/switch.tsx'
import { Devices } from './devices.tsx'
import { devicesQuery, subscribe, unsubscribe } from './subscription.ts'
import { canPush, missingSupport, usePermission } from './support.ts'
import { useTest } from './use-test.ts'
import { WeeklyMail } from './weekly-mail.tsx'
import { activeWorker } from './worker.ts'
import './notifications.css'

/** Shows how this browser notifies its admin, and which other browsers do. */
export function Notifications() {
  const missing = missingSupport()
  const offDuty = useQuery(accountQuery).data?.onDuty === false
  return (
    <Group id="notifications" title="Notifications">
      <p className="work-note" data-tone="amber" role="status">
        {offDuty && "You're off duty, so messages don't notify you."}
      </p>
      {missing === null ? <ThisDevice /> : <p>{missing}</p>}
      <Devices />
      <WeeklyMail />
    </Group>
  )
}

function ThisDevice() {
  const userId = useAuth((auth) => auth.user_Id) ?? ''
  const queryClient = useQueryClient()
  const permission = usePermission()
  const { push, desktop, previews } = useNotificationChoices()
  const [problem, setProblem] = useState<string | null>(null)
  const isPermitted = permission === 'granted'
  const hasPush = isPermitted && push === userId
  const hasDesktop = isPermitted && desktop === userId

  const { mutate, isPending } = useMutation({
    mutationFn: (change: () => Promise<string>) => change(),
    onMutate: () => setProblem(null),
    onSuccess: (notice) => toast.success(notice),
    onError: (error) => setProblem(problemOf(error)),
    onSettled: () => queryClient.invalidateQueries(devicesQuery),
  })

  const changePush = (isOn: boolean) =>
    mutate(async () => {
      if (isOn) {
        await askPermission()
        await subscribe(userId)
      } else await unsubscribe()
      return isOn ? 'Push is on' : 'Push is off'
    })
  const changeDesktop = (isOn: boolean) =>
    mutate(async () => {
      if (isOn) {
        await askPermission()
        await activeWorker()
      }
      choose({ desktop: isOn ? userId : null })
      return isOn ? 'Desktop notifications are on' : 'Desktop notifications are off'
    })
  const changePreviews = (isOn: boolean) =>
    mutate(async () => {
      choose({ previews: isOn })
      try {
        if (hasPush) await subscribe(userId)
      } catch (error) {
        choose({ previews: !isOn })
        throw error
      }
      return isOn ? 'Notifications show message text' : 'Notifications hide message text'
    })

  return (
    <>
      {permission === 'denied' && (
        <p className="work-note" data-tone="amber">
          This browser blocks notifications from this site. Allow them in the site settings next to the
          address bar, then reload this page.
        </p>
      )}
      <fieldset
        className="card notifications-device"
        aria-label="This device"
        disabled={isPending}
        aria-busy={isPending}
      >
        {canPush() && (
          <Switch
            label="Push notifications"
            hint="They also arrive while the dashboard is closed."
            checked={hasPush}
            disabled={permission === 'denied'}
            onChange={changePush}
          />
        )}
        <Switch
          label="Desktop notifications from an open tab"
          hint="Used while push notifications are off."
          checked={hasDesktop}
          disabled={permission === 'denied'}
          onChange={changeDesktop}
        />
        <Switch
          label="Show message text"
          hint='When off, notifications say only "A visitor is waiting."'
          checked={previews}
          onChange={changePreviews}
        />
        <Test hasPush={hasPush} isOn={hasPush || hasDesktop} />
      </fieldset>
      <p className="field-error" role="alert">
        {problem}
      </p>
    </>
  )
}

function Test({ hasPush, isOn }: { hasPush: boolean; isOn: boolean }) {
  const { result, isRunning, send } = useTest()
  return (
    <div className="notifications-test">
      <button type="button" className="button" disabled={!isOn || isRunning} onClick={() => send(hasPush)}>
        {isRunning && <Spinner />}
        <Icon of={BellRing} />
        Send a test
      </button>
      <p role="status">{isOn ? result : 'Turn notifications on to test them.'}</p>
    </div>
  )
}

/** Only this function asks for the permission, after the admin has turned a switch on. */
async function askPermission(): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission === 'granted') return
  throw new Refusal(
    permission === 'denied'
      ? "This browser didn't allow notifications from this site."
      : 'Allow notifications when the browser asks.',
  )
}

class Refusal extends Error {}

function problemOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  // `pushManager.subscribe` throws a DOMException.
  if (error instanceof DOMException) {
    return error.name === 'NotAllowedError'
      ? "This browser didn't allow push notifications from this site."
      : "This browser's push service can't be reached. Try again later."
  }
  return errorMessage(error)
}
