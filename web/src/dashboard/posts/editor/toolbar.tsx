import { POST_COLORS, POST_FONTS, POST_SIZES } from '@proctorpass/shared/post-format'
import type Quill from 'quill'
import icons from 'quill/ui/icons.js'
import { useTrustedHtml } from '../../../lib/trusted-html.ts'
import type { InsertKind, SelectionFormats } from './formats.ts'
import { Tools } from './tools.tsx'

interface ToolbarProps {
  quill: Quill
  formats: SelectionFormats
  onInsert: (kind: InsertKind) => void
}

interface Toggle {
  label: string
  format: string
  /** True for a format that is either on or off. */
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
  { label: 'Table', kind: 'table' },
]

export function Toolbar({ quill, formats, onInsert }: ToolbarProps) {
  const apply = (format: string, value: unknown) => {
    quill.focus()
    quill.format(format, value, 'user')
  }

  const toggle = ({ label, format, value }: Toggle) => {
    // A code block's value is its language.
    const pressed = value === true ? Boolean(formats[format]) : formats[format] === value
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
    <Tools label="Format">
      {/* The most used controls come first, because phones have to scroll to the others. */}
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
    </Tools>
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
      // The icon comes from Quill's own code.
      dangerouslySetInnerHTML={useTrustedHtml(icon)}
    />
  )
}

interface ChoiceProps {
  label: string
  /** The label for no value. */
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
    // Stored posts have the British spelling.
    const name = value === 'grey' ? 'gray' : value
    return [value, `${name.charAt(0).toUpperCase()}${name.slice(1)}`]
  })
}

function iconOf(format: string, value: string | true): string {
  const icon = (icons as unknown as Record<string, string | Record<string, string>>)[format]
  return typeof icon === 'string' ? icon : (icon?.[String(value)] ?? '')
}
