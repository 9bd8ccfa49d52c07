import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const MODULE = 'virtual:icons'
const IMPORT = /^import \{([^}]*)\} from ['"]virtual:icons['"];?$/gm
/** A path that begins with `m`: its first point and the rest. */
const START = /^m(-?(?:\d+(?:\.\d+)?|\.\d+))[ ,]?(-?(?:\d+(?:\.\d+)?|\.\d+))[ ,]?(.*)$/s
/** At stroke widths below 2, the outline of a circle up to this radius leaves a hole that only a dot fills. */
const DOT_RADIUS = 1

/**
 * Replaces named imports from `virtual:icons` with constants that contain the path data of Lucide's icons, so that each
 * file carries only its own icons. Names are Lucide's names in PascalCase.
 *
 * @see docs/decisions/0115-one-icon-set.md
 */
export function icons(): Plugin {
  return {
    name: 'icons',
    enforce: 'pre',
    // The dev server's search for dependencies also finds the imports.
    resolveId: { filter: { id: /^virtual:icons$/ }, handler: (id) => `\0${id}` },
    transform: {
      filter: { id: /\.tsx?$/, code: MODULE },
      handler(source) {
        try {
          return { code: source.replace(IMPORT, (line, names: string) => constants(line, names)), map: null }
        } catch (error) {
          return this.error((error as Error).message)
        }
      },
    },
  }
}

/** Returns as many lines as the import has, so that source maps stay right. */
function constants(line: string, names: string): string {
  const declared = names
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [name = '', local = name] = entry.split(/\s+as\s+/)
      return `${local} = ${JSON.stringify(iconPath(name))}`
    })
  return `const ${declared.join(', ')};${'\n'.repeat(line.split('\n').length - 1)}`
}

let drawings: Record<string, string> | undefined

/** @throws if Lucide has no icon with the name */
function iconPath(name: string): string {
  drawings ??= createRequire(import.meta.url)('lucide-static') as Record<string, string>
  const svg = drawings[name]
  if (svg === undefined) throw new Error(`Lucide has no icon with the name ${name}.`)
  return toPath(svg)
}

/**
 * Returns an SVG file's shapes as the data of one path.
 *
 * @throws if the file has an element or an attribute that a path cannot express
 */
export function toPath(svg: string): string {
  const [, inside] = /<svg[^>]*>(.*)<\/svg>/s.exec(svg) ?? []
  if (inside === undefined) throw new Error('The file has no svg element.')
  const rest = inside.replace(/<[a-z]+[^>]*\/>/g, '').trim()
  if (rest !== '') throw new Error(`A path cannot express ${rest}`)
  return [...inside.matchAll(/<([a-z]+)([^>]*)\/>/g)]
    .map(([element, shape = '', list = '']) => {
      const draw = SHAPES[shape]
      const attributes = Object.fromEntries(
        [...list.matchAll(/([a-z][\w-]*)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
      )
      const others = Object.keys(attributes).filter((key) => !draw?.attributes.includes(key))
      if (draw === undefined || others.some((key) => !isFilledDot(shape, key, attributes)))
        throw new Error(`A path cannot express ${element}`)
      return draw.path(attributes)
    })
    .join('')
}

/** A dot's fill changes nothing, because the stroke covers the dot. */
function isFilledDot(shape: string, key: string, attributes: Record<string, string>): boolean {
  return shape === 'circle' && key === 'fill' && Number(attributes.r) <= DOT_RADIUS
}

interface Shape {
  attributes: string[]
  path(attributes: Record<string, string>): string
}

const SHAPES: Record<string, Shape> = {
  path: { attributes: ['d'], path: ({ d = '' }) => absoluteStart(d) },
  line: {
    attributes: ['x1', 'y1', 'x2', 'y2'],
    path: ({ x1, y1, x2, y2 }) => `M${x1} ${y1}L${x2} ${y2}`,
  },
  polyline: { attributes: ['points'], path: ({ points = '' }) => through(points) },
  polygon: { attributes: ['points'], path: ({ points = '' }) => `${through(points)}z` },
  circle: {
    attributes: ['cx', 'cy', 'r'],
    path({ cx, cy, r }) {
      const [x, y, radius] = [Number(cx), Number(cy), Number(r)]
      return radius <= DOT_RADIUS && radius > 0
        ? `${ellipse(x, y, radius, radius)}M${x} ${y}h.01`
        : ellipse(x, y, radius, radius)
    },
  },
  ellipse: {
    attributes: ['cx', 'cy', 'rx', 'ry'],
    path: ({ cx, cy, rx, ry }) => ellipse(Number(cx), Number(cy), Number(rx), Number(ry)),
  },
  rect: {
    attributes: ['x', 'y', 'width', 'height', 'rx', 'ry'],
    path({ x = 0, y = 0, width, height, rx, ry }) {
      const [w, h] = [Number(width), Number(height)]
      const a = Math.min(Number(rx ?? ry ?? 0), w / 2)
      const b = Math.min(Number(ry ?? rx ?? 0), h / 2)
      const corner = (right: number, down: number) =>
        a * b === 0 ? '' : `a${short(a)} ${short(b)} 0 0 1 ${short(right)} ${short(down)}`
      const across = short(w - 2 * a)
      const along = short(h - 2 * b)
      return [
        `M${short(Number(x) + a)} ${y}h${across}${corner(a, b)}v${along}${corner(-a, b)}`,
        `h${-across}${corner(-a, -b)}v${-along}${corner(a, -b)}z`,
      ].join('')
    },
  },
}

/** A path that begins with `m` begins at an absolute point, which is not so once it follows another one. */
function absoluteStart(d: string): string {
  const [, x, y, rest = ''] = START.exec(d) ?? []
  if (x === undefined) {
    if (!d.startsWith('M')) throw new Error(`The path ${d} has no start.`)
    return d
  }
  return `M${x} ${y}${/^[-.\d]/.test(rest) ? 'l' : ''}${rest}`
}

function through(points: string): string {
  const [x, y, ...rest] = points.trim().split(/[\s,]+/)
  return `M${x} ${y}L${rest.join(' ')}`
}

function ellipse(x: number, y: number, rx: number, ry: number): string {
  const half = (across: number) => `a${rx} ${ry} 0 1 0 ${short(across)} 0`
  return `M${short(x - rx)} ${y}${half(2 * rx)}${half(-2 * rx)}`
}

/** Removes what floating-point arithmetic adds. */
function short(value: number): number {
  return Number(value.toFixed(3))
}
