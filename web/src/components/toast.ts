import type { ToastKind, ToastOptions } from './toaster.tsx'

// The library is loaded with the first toast, because most visitors never see one.
async function show(kind: ToastKind, message: string, options?: ToastOptions): Promise<void> {
  try {
    const toaster = await import('./toaster.tsx')
    toaster.showToast(kind, message, options)
  } catch {
    // The browser is offline before the first toast. Important messages are also shown in place.
  }
}

/**
 * Shows short notes at the top right. They are announced politely and disappear after five seconds (ten with an action)
 * or on a click.
 */
export const toast = {
  success: (message: string, options?: ToastOptions) => void show('success', message, options),
  error: (message: string, options?: ToastOptions) => void show('error', message, options),
  warning: (message: string, options?: ToastOptions) => void show('warning', message, options),
  info: (message: string, options?: ToastOptions) => void show('info', message, options),
}
