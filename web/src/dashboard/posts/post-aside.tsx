import { altProblem, POST_FIELDS } from '@proctorpass/shared/fields/post'
import type { ReactNode, RefObject } from 'react'
import { useController } from 'react-hook-form'
import { Field } from '../ui/field.tsx'
import { LanguageField } from '../ui/language-field.tsx'
import { AltTextField } from './alt-text-field.tsx'
import { ImageField } from './image-field.tsx'
import { cleanedNote } from './image-file.ts'
import { CardPreview } from './post-preview.tsx'
import type { PostFormState } from './use-post-form.ts'

interface PostAsideProps {
  post: PostFormState
  /** Null for a post that is not published. */
  publicSlug: string | null
  date: string | undefined
  coverRef: RefObject<HTMLInputElement | null>
  /** The address of the chosen or stored image. */
  preview: string | undefined
  /** What the page says about the post's state. */
  children: ReactNode
}

/** Shows what belongs to a post beside its text: its address, its image, and its card. */
export function PostAside({ post, publicSlug, date, coverRef, preview, children }: PostAsideProps) {
  return (
    <aside className="post-aside" aria-label="Post">
      {children}
      <LanguageField
        lang={post.values.lang}
        error={post.admin.errorOf('lang')}
        onChange={(lang) => post.form.setValue('lang', lang, { shouldDirty: true })}
      />
      <SlugField post={post} publicSlug={publicSlug} />
      <Cover post={post} inputRef={coverRef} />
      <CardPreview fields={post.values} image={preview} date={date} />
    </aside>
  )
}

function SlugField({ post, publicSlug }: { post: PostFormState; publicSlug: string | null }) {
  const { admin, form, values } = post
  const field = form.register('slug', { validate: (slug) => POST_FIELDS.slug.problem(slug) ?? true })
  const hint = publicSlug !== null && values.slug === publicSlug && (
    <>
      The post's address:{' '}
      <a href={`/blog/${publicSlug}`} target="_blank" rel="noreferrer">
        /blog/{publicSlug}
      </a>
    </>
  )
  return (
    <Field label="Slug" hint={hint || undefined} error={admin.errorOf('slug')}>
      {(shared) => (
        <span className="slug-field">
          <span>/blog/</span>
          <input
            {...shared}
            {...field}
            type="text"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </span>
      )}
    </Field>
  )
}

interface CoverProps {
  post: PostFormState
  inputRef: RefObject<HTMLInputElement | null>
}

function Cover({ post, inputRef }: CoverProps) {
  const { form, values, image, progress, isToasted, cleaned, chooseFile, isLenient } = post
  const { errors, isSubmitted } = form.formState
  const { field } = useController({
    control: form.control,
    name: 'imgAlt',
    rules: {
      validate: (alt, { isDecorative }) =>
        (alt === '' && isLenient() ? null : altProblem(alt, isDecorative)) ?? true,
    },
  })
  const options = { shouldDirty: true, shouldValidate: isSubmitted }
  return (
    <fieldset className="cover">
      <legend className="visually-hidden">Image</legend>
      <div data-toasted={isToasted}>
        <ImageField
          label="Upload Image"
          stored={image}
          file={values.file}
          progress={progress}
          error={errors.file?.message}
          inputRef={inputRef}
          onChange={chooseFile}
        />
      </div>
      <p className="work-note" role="status" hidden={cleaned === undefined}>
        {cleanedNote(cleaned)}
      </p>
      <AltTextField
        value={{ alt: values.imgAlt, isDecorative: values.isDecorative }}
        error={errors.imgAlt?.message}
        inputRef={field.ref}
        onChange={({ alt, isDecorative }) => {
          form.setValue('isDecorative', isDecorative, options)
          form.setValue('imgAlt', alt, options)
        }}
      />
    </fieldset>
  )
}
