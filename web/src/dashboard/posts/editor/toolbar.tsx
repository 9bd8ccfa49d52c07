import {
  Bold,
  CodeXml,
  Film,
  Image as ImageIcon,
  IndentDecrease,
  IndentIncrease,
  Italic,
  Link as LinkIcon,
  List,
  ListOrdered,
  PilcrowLeft,
  RemoveFormatting,
  Strikethrough,
  Subscript,
  Superscript,
  Table as TableIcon,
  TextQuote,
  Underline,
} from 'virtual:icons'
import { POST_COLORS, POST_FONTS, POST_SIZES } from '@proctorpass/shared/post-format'
import type Quill from 'quill'
import { Icon } from '../../../components/icon.tsx'
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
  /** The icon's path data. */
  icon: string
}

const STYLES: Toggle[] = [
  { label: 'Bold', format: 'bold', value: true, icon: Bold },
  { label: 'Italic', format: 'italic', value: true, icon: Italic },
  { label: 'Underline', format: 'underline', value: true, icon: Underline },
  { label: 'Strike', format: 'strike', value: true, icon: Strikethrough },
]
const BLOCKS: Toggle[] = [
  { label: 'Blockquote', format: 'blockquote', value: true, icon: TextQuote },
  { label: 'Code block', format: 'code-block', value: true, icon: CodeXml },
  { label: 'Numbered list', format: 'list', value: 'ordered', icon: ListOrdered },
  { label: 'Bulleted list', format: 'list', value: 'bullet', icon: List },
]
const SCRIPTS: Toggle[] = [
  { label: 'Subscript', format: 'script', value: 'sub', icon: Subscript },
  { label: 'Superscript', format: 'script', value: 'super', icon: Superscript },
]
const INSERTS: { label: string; kind: InsertKind; icon: string }[] = [
  { label: 'Link', kind: 'link', icon: LinkIcon },
  { label: 'Image', kind: 'image', icon: ImageIcon },
  { label: 'Video', kind: 'video', icon: Film },
  { label: 'Table', kind: 'table', icon: TableIcon },
]

export function Toolbar({ quill, formats, onInsert }: ToolbarProps) {
  const apply = (format: string, value: unknown) => {
    quill.focus()
    quill.format(format, value, 'user')
  }

  const toggle = ({ label, format, value, icon }: Toggle) => {
    // A code block's value is its language.
    const pressed = value === true ? Boolean(formats[format]) : formats[format] === value
    return (
      <IconButton
        key={label}
        label={label}
        icon={icon}
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
        {INSERTS.map(({ label, kind, icon }) => (
          <IconButton
            key={kind}
            label={label}
            icon={icon}
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
        <IconButton label="Outdent" icon={IndentDecrease} onClick={() => apply('indent', '-1')} />
        <IconButton label="Indent" icon={IndentIncrease} onClick={() => apply('indent', '+1')} />
        <IconButton
          label="Right to left"
          icon={PilcrowLeft}
          pressed={formats.direction === 'rtl'}
          onClick={() => apply('direction', formats.direction === 'rtl' ? false : 'rtl')}
        />
      </span>
      <span>{SCRIPTS.map(toggle)}</span>
      <span>
        <IconButton
          label="Clean"
          icon={RemoveFormatting}
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
      className="icon-button icon-button-s"
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon of={icon} />
    </button>
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
      className="select"
      aria-label={label}
      data-tip={label}
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
