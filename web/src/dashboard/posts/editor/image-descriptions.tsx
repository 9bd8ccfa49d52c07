import { ALT_REQUIRED, altProblem } from '@proctorpass/shared/fields/post'
import { useEffect, useRef } from 'react'
import { AltTextField, type Description } from '../alt-text-field.tsx'
import type { EditorImage } from './formats.ts'

interface ImageDescriptionsProps {
  images: readonly EditorImage[]
  /** See RichTextEditorProps. */
  areRefused: boolean
  refusals: number
  onDescribe: (image: EditorImage, description: Description) => void
}

/** The images of the text in their order, each with its description. */
export function ImageDescriptions({ images, areRefused, refusals, onDescribe }: ImageDescriptionsProps) {
  const problems = images.map(({ alt, isDecorative }) => altProblem(alt, isDecorative))
  const first = problems.findIndex((problem) => problem !== null)
  const firstField = useRef<HTMLInputElement | null>(null)
  useEffect(() => {
    if (refusals > 0) firstField.current?.focus()
  }, [refusals])
  return (
    <ol className="rich-text-images">
      {images.map((image, index) => {
        const problem = problems[index] ?? null
        const isShown = areRefused || problem !== ALT_REQUIRED
        return (
          <li key={index}>
            <fieldset>
              <legend>
                Image {index + 1} of {images.length}
              </legend>
              <img src={image.src} alt="" />
              <AltTextField
                value={image}
                error={isShown ? (problem ?? undefined) : undefined}
                inputRef={(field) => {
                  if (index === first) firstField.current = field
                }}
                onChange={(description) => onDescribe(image, description)}
              />
            </fieldset>
          </li>
        )
      })}
    </ol>
  )
}
