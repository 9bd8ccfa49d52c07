import {
  ALT_REQUIRED,
  IMAGE_ALT,
  IMAGE_REQUIRED,
  POST_CONTENT,
  POST_FIELDS,
} from '@proctorpass/shared/fields/post'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { type FieldErrors, type UseFormReturn, useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { useTimedText } from '../../components/use-timed-text.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { useUnsaved } from '../ui/ask-before-leaving.tsx'
import { readFormDraft, removeFormDraft, useFormDraft } from '../ui/form-draft.ts'
import { type Description, isDescribed } from './alt-text-field.tsx'
import { readDraftFile, writeDraftFile } from './draft-file.ts'
import { fieldsOf, type PostFields } from './posts.ts'

const FIELD_NAMES = ['title', 'summary', 'slug', 'file', 'imgAlt', 'content'] as const
/** As long as a toast. */
const TOASTED_MS = 5_000

export interface PostFormValues extends PostFields {
  file: File | null
}

interface Draft {
  fields: PostFields
  /** The version that was edited. */
  version: number
  /** Whether an image was chosen. */
  hasFile: boolean
}

interface PostToSend {
  fields: PostFields
  file: File | null
  version: number
  onProgress: (share: number) => void
}

interface SentPost {
  message: string
  version: number
  img?: string
  /** What the image lost. */
  cleaned?: string[] | undefined
}

export interface PostFormOptions {
  /** The stored fields; empty for a new post, whose version is 0. */
  saved: PostFields
  version: number
  storedImage?: string
  draftKey: string
  /** Resolves with the message to show, and with the stored post. */
  send: (post: PostToSend) => Promise<SentPost>
  /** Resolves with true when it has handled the failure. */
  onFailure?: (error: unknown) => Promise<boolean>
  onSaved?: (fields: PostFields) => void
}

export type PostFormState = ReturnType<typeof usePostForm>

/** The state of a post's form: its values, its draft, the version it edits, and sending it. */
export function usePostForm(options: PostFormOptions) {
  const { saved, version: savedVersion, storedImage, draftKey, send, onFailure, onSaved } = options
  const isNew = savedVersion === 0
  const form = useForm<PostFormValues>({ defaultValues: { ...saved, file: null } })
  const { draft, isFileLost, removeDraft } = useRestoredDraft(form, saved, draftKey)
  const [version, setVersion] = useState(draft?.version ?? savedVersion)
  const [image, setImage] = useState(storedImage)
  const [progress, setProgress] = useState<number | null>(null)
  const [savedSlug, setSavedSlug] = useState<string | null>(null)
  const [toasted, setToasted] = useTimedText(TOASTED_MS)
  const [cleaned, setCleaned] = useState<string[]>()
  const [imageRefusals, setImageRefusals] = useState(0)
  const textImages = useRef<readonly Description[]>([])
  const isUploading = useRef(false)
  const setUploading = useCallback(
    (is: boolean) => {
      isUploading.current = is
      const { error } = form.getFieldState('content')
      if (!is && error?.type === 'uploads') form.clearErrors('content')
    },
    [form],
  )
  // What the editor starts with; another number replaces the editor.
  const [start, setStart] = useState({ html: draft?.fields.content ?? saved.content, number: 0 })
  const values = form.watch()
  const { isDirty } = form.formState
  const unsaved = useUnsaved(isDirty)

  const hasFile = values.file !== null
  useFormDraft(draftKey, isDirty ? ({ fields: fieldsOf(values), version, hasFile } satisfies Draft) : null)

  function editVersion(html: string, newVersion: number): void {
    setVersion(newVersion)
    setStart({ html, number: start.number + 1 })
  }

  async function handleValid({ file, ...typed }: PostFormValues): Promise<void> {
    const slug = POST_FIELDS.slug.clean(typed.slug)
    const fields = { ...typed, slug, imgAlt: IMAGE_ALT.clean(typed.imgAlt) }
    setProgress(0)
    setSavedSlug(null)
    setImageRefusals(0)
    try {
      const done = await send({ fields, file, version, onProgress: setProgress })
      // The values stay, now as saved ones.
      form.reset({ ...fields, file: isNew ? file : null })
      unsaved.current = false
      removeDraft()
      setVersion(done.version)
      if (done.img !== undefined) setImage(done.img)
      setCleaned(done.cleaned)
      setSavedSlug(slug)
      toast.success(done.message)
      onSaved?.(fields)
    } catch (error) {
      const refused = refusedFields(error, FIELD_NAMES)
      refused.forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      if (await onFailure?.(error)) return
      toast.error(refused[0]?.message ?? errorMessage(error))
    } finally {
      setProgress(null)
    }
  }

  /** Another image is not described yet; the stored one keeps its description. */
  function describeAnew(isOther: boolean): void {
    const { imgAlt = '', isDecorative = false } = form.formState.defaultValues ?? {}
    const now = form.getValues()
    const isUnchanged = now.imgAlt === imgAlt && now.isDecorative === isDecorative
    const isEmpty = now.imgAlt === '' && !now.isDecorative
    if (isOther ? !isUnchanged : !isEmpty) return
    form.setValue('imgAlt', isOther ? '' : imgAlt, { shouldDirty: true })
    form.setValue('isDecorative', !isOther && isDecorative, { shouldDirty: true })
  }

  function handleInvalid(errors: FieldErrors<PostFormValues>): void {
    const isOnlyImages = Object.keys(errors).length === 1 && errors.content?.type === 'images'
    // Otherwise the focus moves to another field.
    if (isOnlyImages) setImageRefusals(imageRefusals + 1)
    const content = errors.content?.type === 'images' ? undefined : errors.content
    for (const error of [errors.file, content]) if (error?.message) toast.warning(error.message)
    setToasted(`submit ${form.formState.submitCount}`)
  }

  form.register('file', { validate: (file) => !isNew || file !== null || IMAGE_REQUIRED })
  form.register('content', {
    validate: {
      // Published now, the image would be missing.
      uploads: () => !isUploading.current || 'Wait until the image is uploaded',
      content: (content) => POST_CONTENT.problem(content) ?? true,
      images: () => textImages.current.every(isDescribed) || ALT_REQUIRED,
    },
  })

  return {
    form,
    values,
    isNew,
    image,
    progress,
    start,
    unsaved,
    hasDraft: draft !== null,
    isFileLost,
    /** The address of the post that was saved last. */
    savedSlug,
    /** What the image lost when it was saved. */
    cleaned,
    /** Whether a toast says the errors of image and content. */
    isToasted: toasted !== null,
    imageRefusals,
    setUploading,
    setTextImages(images: readonly Description[]): void {
      textImages.current = images
    },
    submit: form.handleSubmit(handleValid, handleInvalid),
    setVersion,
    /** Replaces the text fields, as a change of the post as `newVersion`. */
    replace(fields: PostFields, newVersion: number): void {
      form.reset({ ...fields, file: form.getValues('file') }, { keepDefaultValues: true })
      editVersion(fields.content, newVersion)
    },
    discardDraft(): void {
      removeDraft()
      form.reset({ ...saved, file: null })
      editVersion(saved.content, savedVersion)
    },
    chooseFile(file: File | null): void {
      setCleaned(undefined)
      form.setValue('file', file, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
      describeAnew(file !== null)
      void writeDraftFile(draftKey, file)
    },
  }
}

/** Puts the stored draft into the form once. */
function useRestoredDraft(form: UseFormReturn<PostFormValues>, saved: PostFields, draftKey: string) {
  const [draft, setDraft] = useState(() => readFormDraft<Draft>(draftKey))
  const [isFileLost, setFileLost] = useState(false)

  const restore = useEffectEvent(async () => {
    if (!draft) return
    form.reset({ ...saved, ...draft.fields, file: null }, { keepDefaultValues: true })
    if (!draft.hasFile) return
    const file = await readDraftFile(draftKey)
    // Another file may have been chosen meanwhile.
    if (form.getValues('file') !== null) return
    if (file) form.setValue('file', file, { shouldDirty: true })
    else setFileLost(true)
  })
  useEffect(() => void restore(), [])

  function removeDraft(): void {
    removeFormDraft(draftKey)
    void writeDraftFile(draftKey, null)
    setDraft(null)
  }
  return { draft, isFileLost, removeDraft }
}
