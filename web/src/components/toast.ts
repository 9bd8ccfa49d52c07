export type ToastKind = 'success' | 'error' | 'warning' | 'info'

// Most visitors never see one, so the library comes with the first.
async function show(kind: ToastKind, message: string): Promise<void> {
  try {
    const { showToast } = await import('./toaster.tsx')
    showToast(kind, message)
  } catch {
    // Offline before the first one: what matters also stands where it happened.
  }
}

/** Short notes at the top right, read out politely, gone after five seconds or on a click. */
export const toast = {
  success: (message: string) => void show('success', message),
  error: (message: string) => void show('error', message),
  warning: (message: string) => void show('warning', message),
  info: (message: string) => void show('info', message),
}
