import { altProblem, POST_FIELDS } from '@proctorpass/shared/fields/post'
import { useController } from 'react-hook-form'
import { Field } from '../ui/field.tsx'
import { AltTextField } from './alt-text-field.tsx'
import { ImageField } from './image-field.tsx'
import { cleanedNote } from './image-file.ts'
import { CardPreview } from './post-preview.tsx'
import type { PostFormState } from './use-post-form.ts'

interface PostAsideProps {
  post: PostFormState
  /** Null for a new post. */
  savedSlug: string | null
  createdAt: string | undefined
  /** The address of the chosen or stored image. */
  preview: string | undefined
}

/** Shows what belongs to a post beside its text: its address, its image, and its card. */
export function PostAside({ post, savedSlug, createdAt, preview }: PostAsideProps) {
  return (
    <aside className="post-aside" aria-label="Post">
      <SlugField post={post} savedSlug={savedSlug} />
      <Cover post={post} />
      <CardPreview fields={post.values} image={preview} createdAt={createdAt} />
    </aside>
  )
}

function SlugField({ post, savedSlug }: { post: PostFormState; savedSlug: string | null }) {
  const { admin, form, values } = post
  const field = form.register('slug', { validate: (slug) => POST_FIELDS.slug.problem(slug) ?? true })
  const hint = savedSlug !== null && values.slug === savedSlug && (
    <>
      The post's address:{' '}
      <a href={`/blog/${savedSlug}`} target="_blank" rel="noreferrer">
        /blog/{savedSlug}
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

function Cover({ post }: { post: PostFormState }) {
  const { form, values, image, progress, isToasted, cleaned, chooseFile } = post
  const { errors, isSubmitted } = form.formState
  const { field } = useController({
    control: form.control,
    name: 'imgAlt',
    rules: { validate: (alt, { isDecorative }) => altProblem(alt, isDecorative) ?? true },
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
