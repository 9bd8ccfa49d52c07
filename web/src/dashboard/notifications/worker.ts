import type { PushPayload } from '@proctorpass/shared/schemas/push'
import { workerUrl } from '../../lib/trusted-html.ts'
import type { WorkerMessage, WorkerRequest } from '../../lib/worker-messages.ts'

/** Returns the service worker's registration, and registers it first if necessary. */
export async function activeWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(workerUrl())
  return navigator.serviceWorker.ready
}

/** Shows a notification without push. */
export async function showNotification(payload: PushPayload): Promise<void> {
  const registration = await activeWorker()
  registration.active?.postMessage({ kind: 'show', payload } satisfies WorkerRequest)
}

export async function closeNotifications(tag: string): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  registration?.active?.postMessage({ kind: 'close', tag } satisfies WorkerRequest)
}

export function onWorkerMessage(
  listener: (message: WorkerMessage, port: MessagePort | undefined) => void,
): () => void {
  const handle = ({ data, ports }: MessageEvent<WorkerMessage>) => listener(data, ports[0])
  navigator.serviceWorker.addEventListener('message', handle)
  return () => navigator.serviceWorker.removeEventListener('message', handle)
}
