import { AppError, type ErrorDetail } from '@proctorpass/shared/errors'
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react'
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  get,
  type Path,
  type Resolver,
  type ResolverResult,
  set,
  useForm,
} from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { useUnsaved } from './ask-before-leaving.tsx'
import { isVersionConflict } from './conflict.tsx'
import { readFormDraft, useFormDraft } from './form-draft.ts'

interface Versioned {
  version: number
}

export interface AdminFormOptions<Values extends FieldValues, Stored extends Versioned> {
  /** Name every field here, because the form shows no error beside a field that is not named. */
  defaultValues: DefaultValues<Values>
  /**
   * Sends the valid values. Resolves with the toast's text, or with nothing if the success is shown in another way.
   * `version` is the version that the admin edits.
   */
  send: (values: Values, version: number) => Promise<string | undefined>
  /** Checks the form as a whole, if its fields have no rules of their own. */
  problems?: (values: Values) => ErrorDetail[]
  /** Returns the form's name for the field that the server calls `name`, if they differ. */
  fieldOf?: (name: string) => string
  /** The key under which this browser keeps unsaved values. */
  draftKey?: string
  /** What the form changes, if another admin can change it at the same time. Null for something new. */
  stored?: {
    /** The version on which the default values are based. */
    version: number
    /** Reads what another admin saved. Null if it no longer exists. */
    read: () => Promise<Stored | null>
    valuesOf: (stored: Stored) => DefaultValues<Values>
  } | null
  /** Returns whether the admin must confirm before these values are sent. `asked` then holds the question. */
  asksFirst?: (values: Values) => boolean
  /** Called when a field is wrong, before anything is sent. */
  onInvalid?: (errors: FieldErrors<Values>) => void
  /** Shows a failure in place of the toast. */
  onFailure?: (error: unknown) => void
}

export type AdminForm<Values extends FieldValues, Stored extends Versioned = Versioned> = ReturnType<
  typeof useAdminForm<Values, Stored>
>

/**
 * Holds and sends a dashboard form, and shows the result.
 *
 * @see docs/decisions/0113-forms-of-the-dashboard.md
 */
export function useAdminForm<Values extends FieldValues, Stored extends Versioned = Versioned>(
  options: AdminFormOptions<Values, Stored>,
) {
  const { defaultValues, send, problems, fieldOf = (name) => name.replaceAll('/', '.') } = options
  const { draftKey, stored, asksFirst, onInvalid, onFailure } = options
  const [draft, setDraft] = useState(() =>
    draftKey === undefined ? null : readFormDraft<Versioned>(draftKey),
  )
  const [version, setVersion] = useState(draft?.version ?? stored?.version ?? 0)
  /** What another admin has saved in the meantime. */
  const [other, setOther] = useState<Stored | null>(null)
  const [isAsking, setAsking] = useState(false)
  const form = useForm<Values, unknown, Values>({
    defaultValues,
    shouldFocusError: false,
    ...(problems && { resolver: resolverOf((values) => messagesOf(problems(values))) }),
  })
  const { errors, isSubmitting, isDirty } = form.formState
  const unsaved = useUnsaved(isDirty)
  const removeDraft = useFormDraft(
    draftKey,
    draftKey !== undefined && isDirty ? { ...form.watch(), version } : null,
  )

  const restore = useEffectEvent(() => {
    if (draft === null) return
    const { version: _, ...values } = draft
    form.reset({ ...defaultValues, ...values } as DefaultValues<Values>, { keepDefaultValues: true })
  })
  useEffect(() => restore(), [])

  // The form has no unsaved values, so it can show what another admin saved.
  const adopt = useEffectEvent(() => {
    if (stored && stored.version > version && !isDirty && draft === null)
      restart(defaultValues, stored.version)
  })
  useEffect(() => adopt(), [stored?.version, isDirty])

  const element = useRef<HTMLFormElement>(null)
  /** Whether the focus moves to the first wrong field once the errors are on the screen. */
  const movesFocus = useRef(false)
  useEffect(() => {
    if (!movesFocus.current || isSubmitting) return
    movesFocus.current = false
    const field = element.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]')
    openDetails(field)
    field?.focus()
    // The admin types a wrong password or code again instead of correcting it.
    if (field?.matches('[type="password"], [autocomplete="one-time-code"]')) field.select()
  })

  function messagesOf(details: readonly ErrorDetail[]): Map<string, string> {
    const messages = new Map<string, string>()
    for (const { field, message } of details) {
      const name = fieldOf(field)
      if (!Object.hasOwn(defaultValues, name.split('.')[0] ?? '')) continue
      const known = messages.get(name)
      messages.set(name, known === undefined ? message : `${known}. ${message}`)
    }
    return messages
  }

  /** Shows why the server refused the form, or why it could not be reached. */
  async function refuse(error: unknown): Promise<void> {
    const messages = messagesOf((error instanceof AppError && error.details) || [])
    for (const [name, message] of messages) form.setError(name as Path<Values>, { message })
    movesFocus.current = messages.size > 0
    if (stored && isVersionConflict(error)) setOther(await stored.read().catch(() => null))
    if (onFailure) onFailure(error)
    else toast.error(errorMessage(error))
  }

  async function sendValid(values: Values): Promise<void> {
    try {
      const message = await send(values, version)
      removeDraft()
      setDraft(null)
      setOther(null)
      if (message) toast.success(message)
    } catch (error) {
      await refuse(error)
    }
  }

  function showInvalid(wrong: FieldErrors<Values>): void {
    movesFocus.current = true
    onInvalid?.(wrong)
  }
  const submit = form.handleSubmit(
    (values) => (asksFirst?.(values) ? setAsking(true) : sendValid(values)),
    showInvalid,
  )

  /** Begins again with other values than at first. */
  function restart(values: DefaultValues<Values>, itsVersion = version): void {
    form.reset(values)
    setVersion(itsVersion)
    setOther(null)
    setDraft(null)
  }

  return {
    form,
    version,
    isDirty,
    unsaved,
    busy: isSubmitting,
    submit,
    refuse,
    restart,
    errorOf: (name: string): string | undefined =>
      (get(errors, name) as { message?: string } | undefined)?.message,
    /** Attributes for the form's element. */
    props: {
      ref: element,
      noValidate: true,
      'aria-busy': isSubmitting,
      onSubmit: (event: FormEvent) => {
        event.preventDefault()
        if (!isSubmitting) void submit(event)
      },
    },
    asked: isAsking && {
      onConfirm(): void {
        setAsking(false)
        void form.handleSubmit(sendValid, showInvalid)()
      },
      onCancel: () => setAsking(false),
    },
    /** Whether the form began with unsaved values from an earlier visit. */
    hasDraft: draft !== null,
    discardDraft(): void {
      removeDraft()
      restart(defaultValues, stored?.version ?? 0)
    },
    conflict: other && {
      other,
      onKeepMine(): void {
        setVersion(other.version)
        setOther(null)
      },
      onTakeOther(): void {
        if (stored) restart(stored.valuesOf(other), other.version)
      },
    },
  }
}

/** Opens what hides a field, which could not have the focus otherwise. */
function openDetails(field: Element | null | undefined): void {
  for (let each = field?.closest('details'); each; each = each.parentElement?.closest('details')) {
    each.open = true
  }
}

/** Makes one field's error. Throw it in `send`. */
export function refusal(field: string, message: string): AppError {
  return new AppError('invalid-input', message, { details: [{ field, message }] })
}

function resolverOf<Values extends FieldValues>(
  judge: (values: Values) => Map<string, string>,
): Resolver<Values, unknown, Values> {
  return (values) => {
    const errors: FieldErrors<Values> = {}
    for (const [name, message] of judge(values)) set(errors, name, { type: 'problem', message })
    return { values, errors } as ResolverResult<Values, Values>
  }
}
