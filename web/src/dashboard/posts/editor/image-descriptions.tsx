import { ALT_REQUIRED, altProblem } from '@proctorpass/shared/fields/post'
import type { RefObject } from 'react'
import { AltTextField, type Description } from '../alt-text-field.tsx'
import type { EditorImage } from './formats.ts'

interface ImageDescriptionsProps {
  listRef: RefObject<HTMLOListElement | null>
  images: readonly EditorImage[]
  /** Whether the post was refused for images without a description. */
  areRefused: boolean
  onDescribe: (image: EditorImage, description: Description) => void
}

/** Asks for the descriptions of the text's images, in the text's order. */
export function ImageDescriptions({ listRef, images, areRefused, onDescribe }: ImageDescriptionsProps) {
  const problems = images.map(({ alt, isDecorative }) => altProblem(alt, isDecorative))
  return (
    <ol className="rich-text-images" ref={listRef}>
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
                onChange={(description) => onDescribe(image, description)}
              />
            </fieldset>
          </li>
        )
      })}
    </ol>
  )
}
