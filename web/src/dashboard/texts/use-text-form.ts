import type { ErrorDetail } from '@proctorpass/shared/errors'
import { checkText, type TextFields } from '@proctorpass/shared/fields/page-texts'
import { ALT_REQUIRED } from '@proctorpass/shared/fields/post'
import type { Text } from '@proctorpass/shared/schemas/text'
import { kindOfKey, type TextKind } from '@proctorpass/shared/text-keys'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type Description, isDescribed } from '../posts/alt-text-field.tsx'
import { readFormDraft } from '../ui/form-draft.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { FAQ, readText, saveText, TEXTS } from './texts.ts'

interface TextValues {
  fields: TextFields
}

/** What the form's fields read and change. */
export interface TextFormFields {
  kind: TextKind
  lang: string
  fields: Record<string, unknown>
  set: (name: string, value: unknown) => void
  /** Returns the error of a field. `path` names it below the text's fields, such as `steps/0/text`. */
  errorOf: (path: string) => string | undefined
  /** The HTML with which the editor begins. A new number replaces the editor. */
  start: { html: string; number: number }
  setImages: (images: readonly Description[]) => void
  setUploading: (isUploading: boolean) => void
  /** Whether the text was refused for pictures without a description. */
  areImagesRefused: boolean
}

/** Holds the form of a text in one language. `onSaved` receives what is stored. */
export function useTextForm(stored: Text, lang: string, onSaved: (text: Text) => void) {
  const { key } = stored
  const kind = kindOfKey(key) ?? 'question'
  const htmlName = kind === 'question' ? 'answer' : 'content'
  const queryClient = useQueryClient()
  const draftKey = `draft:text:${key}:${lang}`
  const images = useRef<readonly Description[]>([])
  const isUploading = useRef(false)
  const htmlIn = (fields: TextFields) => (fields as Record<string, unknown>)[htmlName] as string
  const [start, setStart] = useState(() => {
    const draft = readFormDraft<TextValues>(draftKey)
    return { html: htmlIn(draft?.fields ?? stored.fields), number: 0 }
  })
  const begin = (fields: TextFields) => setStart({ html: htmlIn(fields), number: start.number + 1 })
  const valuesOf = ({ fields }: Text): TextValues => ({ fields })

  const admin = useAdminForm<TextValues, Text>({
    defaultValues: valuesOf(stored),
    draftKey,
    stored: { version: stored.version, read: () => readText(key, lang), valuesOf },
    problems({ fields }): ErrorDetail[] {
      const { details, tooLong } = checkText(kind, fields)
      const all = [...details, ...tooLong]
      const field = `fields/${htmlName}`
      if (isUploading.current) all.push({ field, message: 'Wait until the image is uploaded' })
      else if (!images.current.every(isDescribed)) all.push({ field, message: ALT_REQUIRED })
      return all
    },
    async send({ fields }, version) {
      const { message, data } = await saveText(key, lang, { fields, version })
      admin.restart({ fields }, data.version)
      admin.unsaved.current = false
      onSaved(data)
      void queryClient.invalidateQueries({ queryKey: TEXTS })
      void queryClient.invalidateQueries({ queryKey: FAQ })
      return message
    },
  })
  const { form, conflict } = admin
  const values = form.watch('fields') as Record<string, unknown>
  const htmlError = admin.errorOf(`fields.${htmlName}`)

  const fields: TextFormFields = {
    kind,
    lang,
    fields: values,
    set(name, value) {
      const now = form.getValues('fields')
      form.setValue('fields', { ...now, [name]: value } as TextFields, { shouldDirty: true })
      if (form.formState.isSubmitted) void form.trigger()
    },
    errorOf: (path) => admin.errorOf(`fields.${path.replaceAll('/', '.')}`),
    start,
    setImages(found) {
      images.current = found
    },
    setUploading(is) {
      isUploading.current = is
    },
    areImagesRefused: htmlError === ALT_REQUIRED,
  }
  return {
    admin,
    fields,
    conflict: conflict && {
      ...conflict,
      onTakeOther(): void {
        conflict.onTakeOther()
        begin(conflict.other.fields)
      },
    },
    discard(): void {
      admin.discardDraft()
      begin(stored.fields)
    },
  }
}
