import type { TextKey, TextKind } from '@proctorpass/shared/text-keys'
import { useContext, useEffect, useRef, useState } from 'react'
import { errorMessage } from '../../lib/error-message.ts'
import { type PagePreview, PagePreviewContext } from '../../lib/page-preview.ts'
import { ChatHoursContext, useSiteConfig } from '../../lib/site-config.ts'
import { previewContent } from '../posts/posts.ts'

/** The widths of the previewed page in pixels. */
const WIDTHS = { Phone: 390, Tablet: 768, Desktop: 1280 } as const
type Width = keyof typeof WIDTHS

const NARROW = '(max-width: 48rem)'

/** Debounces the requests that sanitize HTML. */
const PAUSE_MS = 400

interface TextPreviewProps {
  textKey: TextKey
  kind: TextKind
  fields: Record<string, unknown>
  lang: string
}

/** Shows the page as visitors would see it with what is in the form. */
export function TextPreview({ textKey, kind, fields, lang }: TextPreviewProps) {
  const [width, setWidth] = useState<Width>(() => (matchMedia(NARROW).matches ? 'Phone' : 'Desktop'))
  const [problem, setProblem] = useState<string | null>(null)
  const frame = useRef<HTMLIFrameElement>(null)
  const config = useSiteConfig()
  const hours = useContext(ChatHoursContext)
  const mountPreview = useContext(PagePreviewContext)
  const [preview, setPreview] = useState<PagePreview | null>(null)
  useFittedFrame(frame, WIDTHS[width])

  useEffect(() => {
    const element = frame.current
    if (element === null || mountPreview === null) return
    let shown: PagePreview | null = null
    let isGone = false
    mountPreview(element, { textKey, lang, config, hours }).then(
      (mounted) => {
        if (isGone) return mounted.unmount()
        shown = mounted
        setPreview(mounted)
      },
      (error) => setProblem(errorMessage(error)),
    )
    return () => {
      isGone = true
      setPreview(null)
      // React may not unmount another root while it renders this one.
      if (shown) setTimeout(shown.unmount)
    }
  }, [mountPreview, textKey, lang, config, hours])

  const htmlName = kind === 'question' ? 'answer' : 'content'
  const html = fields[htmlName] as string | undefined
  const [clean, setClean] = useState<string | undefined>(undefined)
  useEffect(() => {
    if (html === undefined) return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      previewContent(html, stop.signal).then(
        (content) => {
          setClean(content)
          setProblem(null)
        },
        (error) => !stop.signal.aborted && setProblem(errorMessage(error)),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [html])

  useEffect(() => {
    if (html !== undefined && clean === undefined && html !== '') return
    preview?.show(html === undefined ? fields : { ...fields, [htmlName]: html === '' ? '' : clean })
  }, [preview, fields, html, clean, htmlName])

  return (
    <section className="text-preview" aria-label="Preview">
      <fieldset className="preview-widths" aria-label="Preview width">
        <legend className="visually-hidden">Preview width</legend>
        {(Object.keys(WIDTHS) as Width[]).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="preview-width"
              checked={name === width}
              onChange={() => setWidth(name)}
            />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
      {problem !== null && (
        <p className="field-error" role="status">
          {problem}
        </p>
      )}
      <div className="preview-pane" data-width={width}>
        <iframe ref={frame} title="Preview of the page" />
      </div>
    </section>
  )
}

/** Gives the frame the page's width, and shrinks it until it fits into its pane. */
function useFittedFrame(frame: React.RefObject<HTMLIFrameElement | null>, width: number): void {
  useEffect(() => {
    const element = frame.current
    const pane = element?.parentElement
    if (!element || !pane) return
    const fit = () => {
      const scale = Math.min(1, pane.clientWidth / width)
      element.style.width = `${width}px`
      element.style.height = `${pane.clientHeight / scale}px`
      element.style.scale = String(scale)
      element.style.marginInlineStart = `${Math.max(0, (pane.clientWidth - width * scale) / 2)}px`
    }
    fit()
    const observer = new ResizeObserver(fit)
    observer.observe(pane)
    return () => observer.disconnect()
  }, [frame, width])
}
