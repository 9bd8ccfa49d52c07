import type { ToastKind } from './toaster.tsx'

// The library is loaded with the first toast: most visitors never see one.
async function show(kind: ToastKind, message: string): Promise<void> {
  try {
    const { showToast } = await import('./toaster.tsx')
    showToast(kind, message)
  } catch {
    // Offline before the first toast: important messages are also shown in place.
  }
}

/** Short notes at the top right, announced politely, gone after five seconds or on a click. */
export const toast = {
  success: (message: string) => void show('success', message),
  error: (message: string) => void show('error', message),
  warning: (message: string) => void show('warning', message),
  info: (message: string) => void show('info', message),
}
