import { wrongFile } from './wrong-file.ts'

const SIDE_MAX = 10_000
/** Pixels for each unit that programs write. */
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
 * Returns an SVG's size in pixels, from its width and height or else from its viewBox; a larger one is scaled down.
 * `box` is the viewBox to write.
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
