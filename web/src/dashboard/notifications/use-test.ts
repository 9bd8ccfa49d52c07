import { accountPaths } from '@proctorpass/shared/account-paths'
import { testNotification } from '@proctorpass/shared/notification-text'
import type { TestedPush, TestPush } from '@proctorpass/shared/schemas/push'
import { useEffect, useRef, useState } from 'react'
import { errorMessage } from '../../lib/error-message.ts'
import { pushEndpoint } from '../../lib/notification-choices.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { onWorkerMessage, showNotification } from './worker.ts'

/** A push service delivers either within seconds or much later. */
const ARRIVES_WITHIN_MS = 30_000
const ARRIVED = "The test arrived. If you didn't see or hear it, check your system's notification settings."
const NOT_ARRIVED = "Sent, but it hasn't arrived. Check this device's connection and try again."

/** Sends a test to this browser, and says whether it arrived. */
export function useTest(): { result: string; isRunning: boolean; send: (byPush: boolean) => void } {
  const [result, setResult] = useState('')
  const [isRunning, setRunning] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The ID of the test's notification, because other notifications may arrive in the meantime. */
  const id = useRef('')

  function finish(text: string): void {
    clearTimeout(timer.current)
    setResult(text)
    setRunning(false)
  }

  useEffect(() => {
    const unsubscribe = onWorkerMessage((message) => {
      if (message.kind !== 'shown' || message.id !== id.current || timer.current === undefined) return
      clearTimeout(timer.current)
      timer.current = undefined
      setResult(ARRIVED)
      setRunning(false)
    })
    return () => {
      unsubscribe()
      clearTimeout(timer.current)
    }
  }, [])

  async function send(byPush: boolean): Promise<void> {
    setRunning(true)
    setResult('')
    id.current = crypto.randomUUID()
    try {
      if (byPush) {
        timer.current = setTimeout(() => finish(NOT_ARRIVED), ARRIVES_WITHIN_MS)
        const endpoint = pushEndpoint()
        const body: TestPush = { id: id.current, ...(endpoint === null ? {} : { endpoint }) }
        const { sent, message } = await callAsAdmin<TestedPush>(accountPaths.pushTest, {
          method: 'POST',
          body,
        })
        if (sent === 0) finish(message)
      } else {
        await showNotification(testNotification(id.current))
        finish(ARRIVED)
      }
    } catch (error) {
      finish(errorMessage(error))
    }
  }

  return { result, isRunning, send: (byPush) => void send(byPush) }
}
