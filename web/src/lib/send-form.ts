import { bodyOf, unreachable } from './api.ts'
import { pageState } from './page-state.ts'

interface SendOptions {
  method: 'POST' | 'PATCH'
  /** The value of the header. */
  authorization?: string | undefined
  /** Receives the share that has been sent, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Sends a form with files; rejects as `callApi` does. By XMLHttpRequest, because `fetch` reports no progress. */
export function sendForm<T>(path: string, form: FormData, options: SendOptions): Promise<T> {
  const { method, authorization, onProgress, signal } = options
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open(method, pageState().apiPrefix + path)
    request.setRequestHeader('accept', 'application/json')
    if (authorization !== undefined) request.setRequestHeader('authorization', authorization)
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
    request.addEventListener('abort', () => reject(signal?.reason))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
