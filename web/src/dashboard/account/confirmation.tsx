import { AppError } from '@proctorpass/shared/errors'
import { useEffect, useState } from 'react'
import { onConfirmRequired } from '../../lib/session.ts'
import { onDemand } from '../ui/on-demand.tsx'

const ConfirmIdentity = onDemand(async () => (await import('./confirm-identity.tsx')).ConfirmIdentity)

interface Asked {
  resolve: () => void
  reject: (reason: AppError) => void
}

/** Asks the admin to confirm who they are whenever the server wants it. All waiting calls share one question. */
export function Confirmation() {
  const [asked, setAsked] = useState<Asked | null>(null)

  useEffect(() => {
    let waiting: Promise<void> | null = null
    let cancel = () => {}
    const stop = onConfirmRequired(() => {
      waiting ??= new Promise<void>((resolve, reject) => {
        cancel = () => reject(canceled())
        setAsked({ resolve, reject })
      }).finally(() => {
        waiting = null
        setAsked(null)
      })
      return waiting
    })
    return () => {
      stop()
      cancel()
    }
  }, [])

  if (asked === null) return null
  const cancel = () => asked.reject(canceled())
  return <ConfirmIdentity onConfirmed={asked.resolve} onCancel={cancel} onFailed={cancel} />
}

function canceled(): AppError {
  return new AppError('confirm-required', "Nothing was changed, because you didn't confirm that it's you.")
}
