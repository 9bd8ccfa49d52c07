import type { ToastAction, ToastKind } from './toaster.tsx'

// The library is loaded with the first toast: most visitors never see one.
async function show(kind: ToastKind, message: string, action?: ToastAction): Promise<void> {
  try {
    const { showToast } = await import('./toaster.tsx')
    showToast(kind, message, action)
  } catch {
    // Offline before the first toast: important messages are also shown in place.
  }
}

/** Short notes at the top right, announced politely, gone after five seconds (ten with an action) or on a click. */
export const toast = {
  success: (message: string, action?: ToastAction) => void show('success', message, action),
  error: (message: string) => void show('error', message),
  warning: (message: string) => void show('warning', message),
  info: (message: string) => void show('info', message),
}
