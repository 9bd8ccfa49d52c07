import { wrongFile } from './wrong-file.ts'

const SIDE_MAX = 10_000
/** Pixels of the units that programs write. */
const UNITS: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
}

/**
 * The size of an SVG in pixels, by its width and height, else by its viewBox; a larger one is shown smaller. `box`: its
 * viewBox, which it has then.
 */
export function sizeOf(attributes: ReadonlyMap<string, string>): {
  width: number
  height: number
  box: string
} {
  const sent = attributes.get('viewBox') ?? ''
  const [, , boxWidth = Number.NaN, boxHeight = Number.NaN] = sent
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const hasBox = isSize(boxWidth) && isSize(boxHeight)
  let width = pixels(attributes.get('width'))
  let height = pixels(attributes.get('height'))
  if (!isSize(width) && !isSize(height) && hasBox) [width, height] = [boxWidth, boxHeight]
  else if (!isSize(width) && hasBox) width = (height * boxWidth) / boxHeight
  else if (!isSize(height) && hasBox) height = (width * boxHeight) / boxWidth
  if (!isSize(width) || !isSize(height)) {
    throw wrongFile('This SVG has no size: it needs a viewBox. Export it again, or as PNG.')
  }
  const scale = Math.min(1, SIDE_MAX / Math.max(width, height))
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: side(width), height: side(height), box: hasBox ? sent.trim() : `0 0 ${width} ${height}` }
}

function isSize(length: number): boolean {
  return Number.isFinite(length) && length > 0
}

function pixels(length = ''): number {
  const match = /^(\d+(?:\.\d*)?|\.\d+)(px|pt|pc|in|cm|mm|q)?$/i.exec(length.trim())
  return match === null ? Number.NaN : Number(match[1]) * (UNITS[match[2]?.toLowerCase() ?? ''] ?? Number.NaN)
}
