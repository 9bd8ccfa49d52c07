import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'virtual:icons'
import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { toast as hotToast, type Toast, useToaster } from 'react-hot-toast/headless'
import { Icon } from './icon.tsx'
import './toaster.css'

export type ToastKind = 'success' | 'error' | 'warning' | 'info'

export interface ToastOptions {
  /** The note replaces the one with the same ID. */
  id?: string
  /** A button on the note. */
  action?: { label: string; onClick: () => void }
  /** The note's language, if it is not the page's. */
  language?: { lang: string; dir: 'ltr' | 'rtl'; dismiss: string }
}

const DURATION_MS = 5_000
const ACTION_DURATION_MS = 10_000

// See docs/decisions/0009-toasts-without-goober.md.
const region = document.createElement('div')
region.className = 'toasts'
region.setAttribute('role', 'region')
region.setAttribute('aria-label', 'Notices')
region.setAttribute('aria-live', 'polite')
document.body.append(region)
createRoot(region).render(<Toasts />)

const ICONS = { success: CircleCheck, error: CircleAlert, warning: TriangleAlert, info: Info }

const optionsOf = new Map<string, ToastOptions & { kind: ToastKind }>()
let shown = 0

export function showToast(kind: ToastKind, message: string, options: ToastOptions = {}): void {
  shown += 1
  const shownOptions = {
    id: options.id ?? `toast-${shown}`,
    duration: options.action ? ACTION_DURATION_MS : DURATION_MS,
    className: `toast toast-${kind}`,
  }
  optionsOf.set(shownOptions.id, { ...options, kind })
  if (kind === 'success') hotToast.success(message, shownOptions)
  else if (kind === 'error') hotToast.error(message, shownOptions)
  else hotToast(message, shownOptions)
}

export function endToast(id: string): void {
  hotToast.dismiss(id)
}

function Toasts() {
  const { toasts, handlers } = useToaster()
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering and focus only pause the timers
    <div
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      onFocus={handlers.startPause}
      onBlur={handlers.endPause}
    >
      {toasts.map((toast) => (
        <ToastNote key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function ToastNote({ toast }: { toast: Toast }) {
  const { kind, action, language } = optionsOf.get(toast.id) ?? { kind: 'info' }
  useEffect(() => () => void optionsOf.delete(toast.id), [toast.id])
  return (
    <div className={toast.className} lang={language?.lang} dir={language?.dir} data-leaving={!toast.visible}>
      <Icon of={ICONS[kind]} />
      <span className="toast-message">{String(toast.message)}</span>
      {action && (
        <button
          type="button"
          className="link-button toast-action"
          onClick={() => {
            hotToast.dismiss(toast.id)
            action.onClick()
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        className="icon-button icon-button-s"
        aria-label={language?.dismiss ?? 'Dismiss'}
        onClick={() => hotToast.dismiss(toast.id)}
      >
        <Icon of={X} />
      </button>
    </div>
  )
}
