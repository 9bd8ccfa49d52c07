import { type WrongFile, wrongFile } from './wrong-file.ts'

/** Creates the refusal of an SVG; `what` is a part of its sentence. */
export function refusedSvg(what: string): WrongFile {
  return wrongFile(`This SVG contains ${what}, which isn't allowed. Export it without that, or as PNG.`)
}

export function tooManyStyles(): WrongFile {
  return wrongFile('The styles of this SVG are too large. Export it with presentation attributes, or as PNG.')
}
