import {
  ALT_REQUIRED,
  IMAGE_ALT,
  IMAGE_REQUIRED,
  POST_CONTENT,
  POST_FIELDS,
} from '@proctorpass/shared/fields/post'
import type { PostState } from '@proctorpass/shared/post-states'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { useTimedText } from '../../components/use-timed-text.ts'
import { readFormDraft, useFormDraft } from '../ui/form-draft.ts'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { type Description, isDescribed } from './alt-text-field.tsx'
import { readDraftFile, writeDraftFile } from './draft-file.ts'
import { fieldsOf, type PostFields, type PostToSend, type Standing, storedFields } from './posts.ts'

/** A toast is on the screen for this long. */
const TOASTED_MS = 5_000

export interface PostFormValues extends PostFields {
  file: File | null
}

interface Draft {
  fields: PostFields
  /** The version that the admin edited. */
  version: number
  /** Whether an image was chosen. */
  hasFile: boolean
}

/** What the admin wants of a post that is sent. `kept` leaves its state as it is. */
export type Intent = 'kept' | PostState

interface SentPost {
  message: string
  version: number
  state: PostState
  img?: string
  /** What the server removed from the image. */
  cleaned?: string[] | undefined
}

export interface PostFormOptions {
  /** The stored fields. A new post has empty fields and version 0. */
  saved: PostFields
  version: number
  storedImage?: string
  /** The stored post's state. Missing for a new post. */
  state?: PostState
  /** The date on the post's card. Without it, the card has today's. */
  date?: string | undefined
  draftKey: string
  /** Resolves with the message to show and with the stored post. */
  send: (post: PostToSend) => Promise<SentPost>
  /** Reads the stored post again, because another admin may have changed it. */
  read?: () => Promise<Blog>
  onSaved?: (fields: PostFields, sent: SentPost) => void
}

export type PostFormState = ReturnType<typeof usePostForm>

/** Adds what only posts have to `useAdminForm`: the image, the editor, and a draft that holds a file. */
export function usePostForm(options: PostFormOptions) {
  const { saved, version: savedVersion, storedImage, state, draftKey, send, read, onSaved } = options
  const isNew = savedVersion === 0
  const [draft, setDraft] = useState(() => readFormDraft<Draft>(draftKey))
  const [image, setImage] = useState(storedImage || undefined)
  const intent = useRef<Intent>('kept')
  const publishAt = useRef<string>(undefined)
  /** What a draft lacks is judged when it is scheduled or published. */
  const isLenient = () => intent.current === 'draft' || (intent.current === 'kept' && state === 'draft')
  const [progress, setProgress] = useState<number | null>(null)
  const [savedSlug, setSavedSlug] = useState<string | null>(null)
  const [toasted, setToasted] = useTimedText(TOASTED_MS)
  const [cleaned, setCleaned] = useState<string[]>()
  const textImages = useRef<readonly Description[]>([])
  // The editor starts with this HTML. A new number replaces the editor.
  const [start, setStart] = useState({ html: draft?.fields.content ?? saved.content, number: 0 })
  const admin = useAdminForm<PostFormValues, Blog>({
    defaultValues: { ...saved, file: null },
    stored: read && {
      version: draft?.version ?? savedVersion,
      read,
      valuesOf: (post) => ({ ...storedFields(post), file: null }),
    },
    async send({ file, ...typed }, version) {
      const slug = POST_FIELDS.slug.clean(typed.slug)
      const fields = { ...typed, slug, imgAlt: IMAGE_ALT.clean(typed.imgAlt) }
      setProgress(0)
      setSavedSlug(null)
      try {
        const standing = standingOf(intent.current, publishAt.current)
        const done = await send({ fields, standing, file, version, onProgress: setProgress })
        // The values stay in the form, which now counts them as saved.
        admin.restart({ ...fields, file: isNew ? file : null }, done.version)
        admin.unsaved.current = false
        removeDraft()
        if (done.img !== undefined) setImage(done.img || undefined)
        setCleaned(done.cleaned)
        setSavedSlug(done.state === 'published' ? slug : null)
        onSaved?.(fields, done)
        return done.message
      } finally {
        setProgress(null)
      }
    },
    asksFirst: () => intent.current === 'scheduled',
    onInvalid(errors) {
      const content = errors.content?.type === 'images' ? undefined : errors.content
      for (const error of [errors.file, content]) if (error?.message) toast.warning(error.message)
      setToasted(`submit ${form.formState.submitCount}`)
    },
  })
  const { form, isDirty, conflict } = admin
  const values = form.watch()
  const isFileLost = useRestoredDraft(form, draft, saved, draftKey)
  const hasFile = values.file !== null
  const unsaved = { fields: fieldsOf(values), version: admin.version, hasFile } satisfies Draft
  const removeTexts = useFormDraft(draftKey, isDirty ? unsaved : null)

  function removeDraft(): void {
    removeTexts()
    void writeDraftFile(draftKey, null)
    setDraft(null)
  }

  /** Replaces the editor with one that begins with this content. */
  function begin(content: string): void {
    setStart({ html: content, number: start.number + 1 })
  }

  /** Clears the description for another image. The stored image keeps its description. */
  function describeAnew(isOther: boolean): void {
    const { imgAlt = '', isDecorative = false } = form.formState.defaultValues ?? {}
    const now = form.getValues()
    const isUnchanged = now.imgAlt === imgAlt && now.isDecorative === isDecorative
    const isEmpty = now.imgAlt === '' && !now.isDecorative
    if (isOther ? !isUnchanged : !isEmpty) return
    form.setValue('imgAlt', isOther ? '' : imgAlt, { shouldDirty: true })
    form.setValue('isDecorative', !isOther && isDecorative, { shouldDirty: true })
  }

  /** Returns a rule's problem with a text. A draft may lack the text. */
  const unlessDraft =
    ({ problem }: { problem: (text: string) => string | null }) =>
    (text: string) =>
      text === '' && isLenient() ? null : problem(text)

  const isUploading = useRef(false)
  const setUploading = useCallback(
    (is: boolean) => {
      isUploading.current = is
      const { error } = form.getFieldState('content')
      if (!is && error?.type === 'uploads') form.clearErrors('content')
    },
    [form],
  )
  form.register('file', {
    validate: (file) => file !== null || image !== undefined || isLenient() || IMAGE_REQUIRED,
  })
  form.register('content', {
    validate: {
      // A post that is published now would lack the image.
      uploads: () => !isUploading.current || 'Wait until the image is uploaded',
      content: (content) => unlessDraft(POST_CONTENT)(content) ?? true,
      images: () => isLenient() || textImages.current.every(isDescribed) || ALT_REQUIRED,
    },
  })

  return {
    admin,
    form,
    values,
    isNew,
    isDirty,
    image,
    progress,
    start,
    hasDraft: draft !== null,
    isFileLost,
    /** The address of the post that was saved last. */
    savedSlug,
    /** What the server removed from the image when it was saved. */
    cleaned,
    /** Whether a toast shows the errors of image and content. */
    isToasted: toasted !== null,
    isLenient,
    unlessDraft,
    /** Judges and sends the post with this intent. To schedule it, the form first asks for the time. */
    submitAs(next: Intent): void {
      if (admin.busy) return
      intent.current = next
      publishAt.current = undefined
      void admin.submit()
    },
    /** Present while the form asks for the time. */
    asked: admin.asked && {
      onCancel: admin.asked.onCancel,
      onChoose(time: string): void {
        publishAt.current = time
        if (admin.asked) admin.asked.onConfirm()
      },
    },
    setUploading,
    setTextImages(images: readonly Description[]): void {
      textImages.current = images
    },
    conflict: conflict && {
      ...conflict,
      onTakeOther(): void {
        const { file } = values
        conflict.onTakeOther()
        // The other admin's version does not include the chosen image.
        form.setValue('file', file, { shouldDirty: true })
        begin(conflict.other.content)
      },
    },
    discardDraft(): void {
      removeDraft()
      admin.restart({ ...saved, file: null }, savedVersion)
      begin(saved.content)
    },
    chooseFile(file: File | null): void {
      setCleaned(undefined)
      form.setValue('file', file, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
      describeAnew(file !== null)
      void writeDraftFile(draftKey, file)
    },
  }
}

function standingOf(intent: Intent, publishAt: string | undefined): Standing {
  if (intent === 'kept') return {}
  return { state: intent, ...(publishAt !== undefined && { publishAt }) }
}

/** Puts the stored draft into the form once. Returns whether this browser has lost the draft's image. */
function useRestoredDraft(
  form: UseFormReturn<PostFormValues, unknown, PostFormValues>,
  draft: Draft | null,
  saved: PostFields,
  draftKey: string,
): boolean {
  const [isFileLost, setFileLost] = useState(false)
  const restore = useEffectEvent(async () => {
    if (!draft) return
    form.reset({ ...saved, ...draft.fields, file: null }, { keepDefaultValues: true })
    if (!draft.hasFile) return
    const file = await readDraftFile(draftKey)
    // The admin may have chosen another file in the meantime.
    if (form.getValues('file') !== null) return
    if (file) form.setValue('file', file, { shouldDirty: true })
    else setFileLost(true)
  })
  useEffect(() => void restore(), [])
  return isFileLost
}
