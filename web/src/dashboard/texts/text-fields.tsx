import { type Rule, TEXT_RULES } from '@proctorpass/shared/fields/page-texts'
import { useId } from 'react'
import { EditorSlot } from '../posts/editor/editor-slot.tsx'
import { Field } from '../ui/field.tsx'
import { EntryList } from './entry-list.tsx'
import { PicturePath } from './picture-path.tsx'
import { hintOf, labelOf } from './text-names.ts'
import type { TextFormFields } from './use-text-form.ts'

/** From this length on, a field has several lines on the screen. */
const LONG_FROM = 150

interface TextFieldProps {
  form: TextFormFields
  name: string
}

/** Edits one field of a text, as its rule demands. */
export function TextField({ form, name }: TextFieldProps) {
  const rule = (TEXT_RULES[form.kind] as Record<string, Rule>)[name]
  if (rule === undefined) return null
  if (rule.is === 'html') return <ContentField form={form} name={name} />
  return (
    <RuleField
      form={form}
      rule={rule}
      path={name}
      value={form.fields[name]}
      onChange={(value) => form.set(name, value)}
    />
  )
}

interface RuleFieldProps {
  form: TextFormFields
  rule: Rule
  /** Names the field below the text's fields, such as `steps/0/text`. */
  path: string
  value: unknown
  onChange: (value: unknown) => void
}

function RuleField({ form, rule, path, value, onChange }: RuleFieldProps) {
  const error = form.errorOf(path)
  const label = labelOf(form.kind, path)
  if (rule.is === 'parts') {
    const parts = (value ?? {}) as Record<string, unknown>
    return Object.entries(rule.parts).map(([name, each]) => (
      <RuleField
        key={name}
        form={form}
        rule={each}
        path={`${path}/${name}`}
        value={parts[name]}
        onChange={(part) => onChange({ ...parts, [name]: part })}
      />
    ))
  }
  if (rule.is === 'list' && rule.of.is === 'line') {
    return <LinesField form={form} rule={rule} path={path} value={value} onChange={onChange} />
  }
  if (rule.is === 'list') {
    const entries = (value ?? []) as Record<string, unknown>[]
    return (
      <EntryList rule={rule} path={path} entries={entries} error={error} onChange={onChange}>
        {(entry, index) => (
          <RuleField
            form={form}
            rule={rule.of}
            path={`${path}/${index}`}
            value={entry}
            onChange={(changed) => onChange(entries.with(index, changed as Record<string, unknown>))}
          />
        )}
      </EntryList>
    )
  }
  if (rule.is === 'flag') {
    return (
      <Field label={label} error={error}>
        {(shared) => (
          <select
            {...shared}
            value={value ? 'team' : 'visitor'}
            onChange={(event) => onChange(event.target.value === 'team')}
          >
            <option value="visitor">Visitor</option>
            <option value="team">Team</option>
          </select>
        )}
      </Field>
    )
  }
  const text = typeof value === 'string' ? value : ''
  if (rule.is === 'path') return <PicturePath label={label} value={text} error={error} onChange={onChange} />
  if (rule.is !== 'line') return null
  return (
    <div className="counted">
      <Field label={label} hint={countOf(text, rule.max, hintOf(form.kind, path))} error={error}>
        {(shared) => {
          const attributes = {
            ...shared,
            lang: form.lang,
            dir: 'auto' as const,
            value: text,
            onChange: (event: { target: { value: string } }) => onChange(event.target.value),
          }
          return rule.max < LONG_FROM ? (
            <input {...attributes} type="text" autoComplete="off" />
          ) : (
            <textarea {...attributes} rows={1} />
          )
        }}
      </Field>
    </div>
  )
}

/** Edits a list of single lines as one text, with an entry on each line. */
function LinesField({ form, rule, path, value, onChange }: RuleFieldProps) {
  const lines = (Array.isArray(value) ? value : []) as string[]
  const max = rule.is === 'list' ? rule.max : 0
  const error = form.errorOf(path) ?? lines.map((_, index) => form.errorOf(`${path}/${index}`)).find(Boolean)
  return (
    <div className="counted">
      <Field
        label={labelOf(form.kind, path)}
        hint={
          <>
            {hintOf(form.kind, path)} {lines.length} of {max} lines
          </>
        }
        error={error}
      >
        {(shared) => (
          <textarea
            {...shared}
            lang={form.lang}
            dir="auto"
            rows={2}
            value={lines.join('\n')}
            onChange={(event) => onChange(event.target.value.split('\n'))}
          />
        )}
      </Field>
    </div>
  )
}

function countOf(text: string, max: number, hint: string | undefined) {
  return (
    <>
      {hint} {Array.from(text.trim()).length} of {max} characters
    </>
  )
}

/** Edits HTML in the editor of posts. */
function ContentField({ form, name }: TextFieldProps) {
  const label = useId()
  const { start, areImagesRefused } = form
  // Each image has its own error beside it.
  const error = areImagesRefused ? undefined : form.errorOf(name)
  return (
    <div className="field">
      <span className="field-label" id={label}>
        {labelOf(form.kind, name)}
      </span>
      <EditorSlot
        key={start.number}
        labelledBy={label}
        errorId={`${label}-error`}
        invalid={error !== undefined}
        initialHtml={start.html}
        areImagesRefused={areImagesRefused}
        onImages={form.setImages}
        onReady={ignoreImages}
        onUploading={form.setUploading}
        onChange={(html) => form.set(name, html)}
      />
      {error && (
        <p className="field-error" id={`${label}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

/** Only the editor itself adds images. */
function ignoreImages(): void {}
