import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'

/** A toolbar: left and right move between its controls; Tab leaves it in one step. */
export function Tools({ label, children }: { label: string; children: ReactNode }) {
  const toolbar = useRef<HTMLDivElement>(null)
  const controls = () => [...(toolbar.current?.querySelectorAll<HTMLElement>('button, select') ?? [])]
  const makeReachable = (reachable: HTMLElement) => {
    for (const control of controls()) control.tabIndex = control === reachable ? 0 : -1
  }
  // Once; afterwards the focused control is the reachable one.
  useEffect(() => {
    const [first] = controls()
    if (first) makeReachable(first)
  }, [])

  function handleKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const all = controls()
    const index = all.indexOf(event.target as HTMLElement)
    all[(index + step + all.length) % all.length]?.focus()
  }

  return (
    <div
      ref={toolbar}
      className="rich-text-tools"
      role="toolbar"
      aria-label={label}
      onKeyDown={handleKeyDown}
      onFocus={({ target }) => makeReachable(target)}
    >
      {children}
    </div>
  )
}
