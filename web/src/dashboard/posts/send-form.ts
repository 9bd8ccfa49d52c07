import { sendForm } from '../../lib/send-form.ts'
import { withToken } from '../../lib/session.ts'

interface SendOptions {
  method: 'POST' | 'PATCH'
  /** Receives the share that has been sent, from 0 to 1. */
  onProgress?: (share: number) => void
}

/** Sends a form with files as an admin; rejects as `callAsAdmin` does. */
export function sendFormAsAdmin<T>(path: string, form: FormData, options: SendOptions): Promise<T> {
  return withToken((token) => sendForm<T>(path, form, { ...options, authorization: `Bearer ${token}` }))
}
