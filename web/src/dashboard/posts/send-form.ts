import { bodyOf, unreachable } from '../../lib/api.ts'
import { pageState } from '../../lib/page-state.ts'
import { withToken } from '../../lib/session.ts'

interface SendOptions {
  method: 'POST' | 'PATCH'
  /** Receives the share that has been sent, from 0 to 1. */
  onProgress?: (share: number) => void
}

/** Sends a form with files as an admin; rejects as `callAsAdmin` does. By XMLHttpRequest, because `fetch` reports no progress. */
export function sendForm<T>(path: string, form: FormData, { method, onProgress }: SendOptions): Promise<T> {
  return withToken(
    (token) =>
      new Promise<T>((resolve, reject) => {
        const request = new XMLHttpRequest()
        request.open(method, pageState().apiPrefix + path)
        request.setRequestHeader('accept', 'application/json')
        request.setRequestHeader('authorization', `Bearer ${token}`)
        if (onProgress) {
          request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
            if (lengthComputable) onProgress(loaded / total)
          })
        }
        request.addEventListener('load', () => {
          const { status, responseText: text } = request
          try {
            resolve(bodyOf<T>({ status, text, header: (name) => request.getResponseHeader(name) }))
          } catch (error) {
            reject(error)
          }
        })
        request.addEventListener('error', () => reject(unreachable()))
        request.send(form)
      }),
  )
}
