import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { bodyOf, newCall, unreachable } from './api.ts'
import { fileSize } from './file-size.ts'
import { pageState } from './page-state.ts'

interface SendOptions {
  method: 'POST' | 'PATCH' | 'PUT'
  /** The header's value. */
  authorization?: string | undefined
  /** Receives the share that has been sent, from 0 to 1. */
  onProgress?: ((share: number) => void) | undefined
  signal?: AbortSignal | undefined
}

/** Sends a form with files. Rejects as `callApi` does. It uses XMLHttpRequest, because `fetch` reports no progress. */
export function sendForm<T>(path: string, form: FormData, options: SendOptions): Promise<T> {
  const { method, authorization, onProgress, signal } = options
  const call = newCall(method)
  const file = form.get('file')
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted()
    const request = new XMLHttpRequest()
    request.open(method, pageState().apiPrefix + path)
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader(CALL_HEADER, call.name)
    if (authorization !== undefined) request.setRequestHeader('authorization', authorization)
    if (onProgress) {
      request.upload.addEventListener('progress', ({ lengthComputable, loaded, total }) => {
        if (lengthComputable) onProgress(loaded / total)
      })
    }
    request.addEventListener('load', () => {
      const { status, responseText: text, responseURL } = request
      const answer = { status, headers: { get: (name: string) => request.getResponseHeader(name) } }
      try {
        // A gateway redirected the request, perhaps to another of our calls.
        if (!responseURL.endsWith(path)) throw unreachable(responseURL)
        resolve(
          bodyOf<T>(
            call,
            answer,
            text,
            file instanceof File ? `This file (${fileSize(file.size)})` : undefined,
          ),
        )
      } catch (error) {
        reject(error)
      }
    })
    request.addEventListener('error', (event) => reject(unreachable(event)))
    request.addEventListener('abort', () => reject(signal?.reason))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}
