import { AppError } from '@proctorpass/shared/errors'

/** An error of an uploaded file, which is shown beside its field. */
export class WrongFile extends AppError {
  /** Whether a smaller file of its kind would be accepted. */
  readonly isTooLarge: boolean

  constructor(
    message: string,
    { cause, isTooLarge = false }: { cause?: unknown; isTooLarge?: boolean } = {},
  ) {
    super('invalid-input', message, { details: [{ field: 'file', message }], cause })
    this.isTooLarge = isTooLarge
  }
}

export function wrongFile(message: string, cause?: unknown): WrongFile {
  return new WrongFile(message, { cause })
}

/** Creates the refusal of an SVG; `what` is a part of its sentence. */
export function refusedSvg(what: string): WrongFile {
  return wrongFile(`This SVG contains ${what}, which isn't allowed. Export it without that, or as PNG.`)
}

export function tooManyStyles(): WrongFile {
  return wrongFile('The styles of this SVG are too large. Export it with presentation attributes, or as PNG.')
}
