import { trimmed } from '@proctorpass/shared/fields/text'
import type { ComponentProps, ReactNode } from 'react'
import type { FieldValues, Path, RegisterOptions } from 'react-hook-form'
import { Dialog } from './dialog.tsx'
import { DialogEnd } from './dialog-end.tsx'
import { Field } from './field.tsx'
import type { AdminForm } from './use-admin-form.ts'

interface Rule<Value = string> {
  problem: (value: Value) => string | null
}

/** Lets a field with this rule be empty. */
export function optional({ problem }: Rule): Rule {
  return { problem: (text) => (trimmed(text) === '' ? null : problem(text)) }
}

/** Makes a rule for a field about which only the server can say more. */
export function required(message: string): Rule {
  return { problem: (text) => (text === '' ? message : null) }
}

type FormOf<Values extends FieldValues> = Pick<AdminForm<Values>, 'form' | 'errorOf'>

type Attributes = Omit<
  ComponentProps<'input'> & ComponentProps<'textarea'>,
  'form' | 'name' | 'ref' | 'onChange'
>

interface TextFieldProps<Values extends FieldValues> extends Attributes {
  form: FormOf<Values>
  name: Path<Values>
  label: string
  hint?: ReactNode
  rule?: Rule<never>
  options?: Pick<RegisterOptions<Values>, 'onChange' | 'valueAsNumber'>
}

/** Shows an input with its label, hint, and error. With `rows`, it takes several lines. */
export function TextField<Values extends FieldValues>({
  form,
  name,
  label,
  hint,
  rule,
  options,
  ...attributes
}: TextFieldProps<Values>) {
  const field = form.form.register(name, {
    ...options,
    validate: (value) => rule?.problem(value as never) ?? true,
  } as RegisterOptions<Values>)
  return (
    <Field label={label} hint={hint} error={form.errorOf(name)}>
      {(shared) =>
        attributes.rows === undefined ? (
          <input {...shared} {...attributes} {...field} />
        ) : (
          <textarea {...shared} {...attributes} {...field} />
        )
      }
    </Field>
  )
}

interface FormDialogProps {
  title: string
  form: Pick<AdminForm<FieldValues>, 'busy' | 'props'>
  submitLabel: string
  cancelLabel?: string
  onClose: () => void
  children: ReactNode
}

/** Shows a form in its own dialog. */
export function FormDialog({
  title,
  form,
  submitLabel,
  cancelLabel = 'Cancel',
  onClose,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} busy={form.busy}>
      <form className="dialog-form" {...form.props}>
        {children}
        <DialogEnd submitLabel={submitLabel} cancelLabel={cancelLabel} busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** Says that the form began with a draft. */
export function DraftNote({ form }: { form: Pick<AdminForm<FieldValues>, 'hasDraft' | 'discardDraft'> }) {
  if (!form.hasDraft) return null
  return (
    <p className="work-note" role="status">
      Your unsaved changes are back.{' '}
      <button type="button" className="link-button" onClick={form.discardDraft}>
        Discard them
      </button>
    </p>
  )
}
