import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

/** A chart's size in pixels. */
export interface Size {
  width: number
  height: number
  /** The font size of the chart's words. */
  em: number
}

interface Point {
  x: number
  y: number
}

/** Until it is measured, as in tests. */
const UNMEASURED: Size = { width: 640, height: 200, em: 11 }
/** Between the readout and what it is about, in pixels. */
const GAP_PX = 6

interface ChartProps {
  /** The name of what the keyboard moves through. */
  label: string
  /** What the keys do. */
  hint: string
  /** The name of the drawing. */
  drawing: string
  /** How many values there are, in rows of `columns`. */
  count: number
  columns: number
  /** Returns the value at a point, or null. */
  valueAt: (point: Point, size: Size) => number | null
  /** Returns where the readout of a value stands: above this point, in its middle. */
  above: (index: number, size: Size) => Point
  readout: (index: number) => ReactNode
  /** What screen readers announce. */
  text: (index: number) => string
  /** Draws the values, with one of them marked or none (null). */
  children: (size: Size, marked: number | null) => ReactNode
}

/**
 * A drawing whose values can be read: under the pointer, under the finger, or with the arrow keys, Home, and End. A
 * readout shows the value, and screen readers announce those that the keys lead to.
 */
export function Chart({ label, hint, drawing, count, columns, ...chart }: ChartProps) {
  const hintId = useId()
  const canvas = useRef<HTMLDivElement>(null)
  const size = useSize(canvas)
  const [at, setAt] = useState<number | null>(null)
  const [announced, setAnnounced] = useState('')
  /** Where the keys go on. They begin at the end. */
  const last = useRef(Number.POSITIVE_INFINITY)
  const marked = at === null || count === 0 ? null : Math.min(at, count - 1)
  useDismissal(canvas, marked !== null, () => setAt(null))

  function show(index: number): void {
    last.current = index
    setAt(index)
  }

  function showByKey(index: number): void {
    show(index)
    setAnnounced(chart.text(index))
  }

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return
    const from = marked ?? Math.min(last.current, count - 1)
    const next = moved(event.key, from, count, columns)
    if (next === null) return
    event.preventDefault()
    showByKey(next)
  }

  function handlePointer({ currentTarget, clientX, clientY }: PointerEvent): void {
    const { left, top } = currentTarget.getBoundingClientRect()
    const index = chart.valueAt({ x: clientX - left, y: clientY - top }, size)
    if (index !== null && count > 0) show(index)
  }

  return (
    <div
      ref={canvas}
      className="report-canvas"
      role="application"
      aria-label={label}
      aria-describedby={hintId}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move through the values
      tabIndex={0}
      onKeyDown={handleKeyDown}
      onFocus={() => at === null && count > 0 && showByKey(Math.min(last.current, count - 1))}
      onBlur={() => setAt(null)}
      onPointerMove={handlePointer}
      onPointerDown={handlePointer}
      onPointerLeave={({ pointerType }) => pointerType !== 'touch' && setAt(null)}
      onPointerCancel={() => setAt(null)}
    >
      <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={drawing}>
        {chart.children(size, marked)}
      </svg>
      {marked !== null && <Readout above={chart.above(marked, size)}>{chart.readout(marked)}</Readout>}
      <p id={hintId} hidden>
        {hint}
      </p>
      <p role="status" className="visually-hidden">
        {announced}
      </p>
    </div>
  )
}

/** Stands above a point, inside the sides of the canvas. */
function Readout({ above: { x, y }, children }: { above: Point; children: ReactNode }) {
  const readout = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = readout.current
    if (!element?.parentElement) return
    const room = element.parentElement.clientWidth - element.offsetWidth
    element.style.left = `${Math.max(0, Math.min(x - element.offsetWidth / 2, room))}px`
    element.style.top = `${y - element.offsetHeight - GAP_PX}px`
  })
  return (
    <div ref={readout} className="report-readout" aria-hidden="true">
      {children}
    </div>
  )
}

/** Returns where a key leads, or null if the chart has no use for it. */
function moved(key: string, from: number, count: number, columns: number): number | null {
  const start = from - (from % columns)
  const end = Math.min(start + columns, count) - 1
  const hasRows = columns < count
  if (key === 'ArrowLeft') return Math.max(from - 1, start)
  if (key === 'ArrowRight') return Math.min(from + 1, end)
  if (key === 'Home') return start
  if (key === 'End') return end
  if (key === 'ArrowUp' && hasRows) return from - columns < 0 ? from : from - columns
  if (key === 'ArrowDown' && hasRows) return from + columns < count ? from + columns : from
  return null
}

/** Measures an element, so that words in a drawing have the same size on every screen. */
function useSize(ref: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState(UNMEASURED)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => {
      const { clientWidth, clientHeight } = element
      if (clientWidth === 0) return
      const em = Number.parseFloat(getComputedStyle(element).fontSize)
      setSize({ width: clientWidth, height: clientHeight, em })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return size
}

/**
 * Calls `hide` for Escape, also without the focus, and for a touch outside: the readout covers what is behind it, and
 * stays when the finger leaves.
 */
function useDismissal(canvas: RefObject<HTMLElement | null>, isShown: boolean, hide: () => void): void {
  const dismiss = useEffectEvent(hide)
  useEffect(() => {
    if (!isShown) return
    const listeners = new AbortController()
    const { signal } = listeners
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && dismiss(), { signal })
    document.addEventListener(
      'pointerdown',
      ({ target }) => canvas.current?.contains(target as Node) || dismiss(),
      { signal },
    )
    return () => listeners.abort()
  }, [canvas, isShown])
}
