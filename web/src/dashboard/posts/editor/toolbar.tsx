import { POST_COLORS, POST_FONTS, POST_SIZES } from '@proctorpass/shared/post-format'
import type Quill from 'quill'
import icons from 'quill/ui/icons.js'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTrustedHtml } from '../../../lib/trusted-html.ts'
import type { InsertKind, SelectionFormats } from './formats.ts'

interface ToolbarProps {
  quill: Quill
  formats: SelectionFormats
  onInsert: (kind: InsertKind) => void
}

interface Toggle {
  label: string
  format: string
  /** True for a format that is on or off. */
  value: string | true
}

const STYLES: Toggle[] = [
  { label: 'Bold', format: 'bold', value: true },
  { label: 'Italic', format: 'italic', value: true },
  { label: 'Underline', format: 'underline', value: true },
  { label: 'Strike', format: 'strike', value: true },
]
const BLOCKS: Toggle[] = [
  { label: 'Blockquote', format: 'blockquote', value: true },
  { label: 'Code block', format: 'code-block', value: true },
  { label: 'Numbered list', format: 'list', value: 'ordered' },
  { label: 'Bulleted list', format: 'list', value: 'bullet' },
]
const SCRIPTS: Toggle[] = [
  { label: 'Subscript', format: 'script', value: 'sub' },
  { label: 'Superscript', format: 'script', value: 'super' },
]
const INSERTS: { label: string; kind: InsertKind }[] = [
  { label: 'Link', kind: 'link' },
  { label: 'Image', kind: 'image' },
  { label: 'Video', kind: 'video' },
]

/** Left and right move between its controls; Tab leaves it in one step. */
export function Toolbar({ quill, formats, onInsert }: ToolbarProps) {
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

  const apply = (format: string, value: unknown) => {
    quill.focus()
    quill.format(format, value, 'user')
  }

  const toggle = ({ label, format, value }: Toggle) => {
    const pressed = formats[format] === value
    return (
      <IconButton
        key={label}
        label={label}
        icon={iconOf(format, value)}
        pressed={pressed}
        onClick={() => apply(format, pressed ? false : value)}
      />
    )
  }

  const choice = (label: string, format: string, plain: string, values: [value: string, label: string][]) => (
    <Choice
      label={label}
      plain={plain}
      values={values}
      value={formats[format]}
      onChoose={(value) => apply(format, value)}
    />
  )

  return (
    <div
      ref={toolbar}
      className="rich-text-tools"
      role="toolbar"
      aria-label="Format"
      onKeyDown={handleKeyDown}
      onFocus={({ target }) => makeReachable(target)}
    >
      {/* The most used controls first: on a phone the others have to be scrolled to. */}
      <span>
        {choice(
          'Heading',
          'header',
          'Text',
          [1, 2, 3, 4, 5, 6].map((level) => [String(level), `Heading ${level}`]),
        )}
      </span>
      <span>{STYLES.map(toggle)}</span>
      <span>
        {INSERTS.map(({ label, kind }) => (
          <IconButton
            key={kind}
            label={label}
            icon={iconOf(kind, true)}
            pressed={kind === 'link' ? formats.link !== undefined : undefined}
            onClick={() => onInsert(kind)}
          />
        ))}
      </span>
      <span>{BLOCKS.map(toggle)}</span>
      <span>
        {choice('Color', 'color', 'Color', titled(POST_COLORS))}
        {choice('Background', 'background', 'Background', titled(POST_COLORS))}
        {choice('Size', 'size', 'Normal', titled(POST_SIZES))}
        {choice('Font', 'font', 'Sans serif', titled(POST_FONTS))}
        {choice('Align', 'align', 'Left', [
          ['center', 'Center'],
          ['right', 'Right'],
          ['justify', 'Justify'],
        ])}
      </span>
      <span>
        <IconButton label="Outdent" icon={iconOf('indent', '-1')} onClick={() => apply('indent', '-1')} />
        <IconButton label="Indent" icon={iconOf('indent', '+1')} onClick={() => apply('indent', '+1')} />
        <IconButton
          label="Right to left"
          icon={iconOf('direction', formats.direction === 'rtl' ? 'rtl' : '')}
          pressed={formats.direction === 'rtl'}
          onClick={() => apply('direction', formats.direction === 'rtl' ? false : 'rtl')}
        />
      </span>
      <span>{SCRIPTS.map(toggle)}</span>
      <span>
        <IconButton
          label="Clean"
          icon={iconOf('clean', true)}
          onClick={() => {
            const { index, length } = quill.getSelection(true)
            if (length > 0) quill.removeFormat(index, length, 'user')
            else for (const format of Object.keys(formats)) quill.format(format, false, 'user')
          }}
        />
      </span>
    </div>
  )
}

interface IconButtonProps {
  label: string
  icon: string
  pressed?: boolean
  onClick: () => void
}

function IconButton({ label, icon, pressed, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
      // From Quill's own code.
      dangerouslySetInnerHTML={useTrustedHtml(icon)}
    />
  )
}

interface ChoiceProps {
  label: string
  /** The label of no value. */
  plain: string
  values: [value: string, label: string][]
  value: unknown
  onChoose: (value: string | false) => void
}

function Choice({ label, plain, values, value, onChoose }: ChoiceProps) {
  const chosen = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  return (
    <select
      aria-label={label}
      title={label}
      value={values.some(([known]) => known === chosen) ? chosen : ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value || false)}
    >
      <option value="">{plain}</option>
      {values.map(([known, text]) => (
        <option key={known} value={known}>
          {text}
        </option>
      ))}
    </select>
  )
}

function titled(values: readonly string[]): [string, string][] {
  return values.map((value) => {
    // Stored posts carry the British name.
    const name = value === 'grey' ? 'gray' : value
    return [value, `${name.charAt(0).toUpperCase()}${name.slice(1)}`]
  })
}

function iconOf(format: string, value: string | true): string {
  const icon = (icons as unknown as Record<string, string | Record<string, string>>)[format]
  return typeof icon === 'string' ? icon : (icon?.[String(value)] ?? '')
}
