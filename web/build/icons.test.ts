// @vitest-environment node
import * as lucide from 'lucide-static'
import { describe, expect, it } from 'vitest'
import { icons, toPath } from './icons.ts'

const inSvg = (shapes: string) => `<svg viewBox="0 0 24 24">${shapes}</svg>`
/** Without the entries that loading a CommonJS package adds. */
const drawings = Object.entries(lucide).filter(
  (entry): entry is [string, string] => typeof entry[1] === 'string',
)
const NUMBER = /(-?(?:\d+\.?\d*|\.\d+))/g
/** An arc's flags need no space after them. */
const ARC = new RegExp(
  [...Array(3).fill(NUMBER.source), '([01])', '([01])', NUMBER.source, NUMBER.source].join('[ ,]*'),
  'g',
)
const PARAMETERS: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }

/** Follows a path and returns the absolute end of each of its commands. */
function ends(d: string): [x: number, y: number][] {
  const found: [number, number][] = []
  let [x, y, startX, startY] = [0, 0, 0, 0]
  for (const [, letter = '', list = ''] of d.matchAll(/([a-z])([^a-z]*)/gi)) {
    const kind = letter.toLowerCase()
    const count = PARAMETERS[kind]
    const isRelative = letter === kind
    const numbers =
      kind === 'a'
        ? [...list.matchAll(ARC)].flatMap((arc) => arc.slice(1).map(Number))
        : [...list.matchAll(NUMBER)].map(([number]) => Number(number))
    if (count === undefined || (count > 0 && (numbers.length === 0 || numbers.length % count > 0)))
      throw new Error(`${letter}${list} is no command.`)
    for (let at = 0; at < Math.max(1, numbers.length); at += Math.max(1, count)) {
      const part = numbers.slice(at, at + count)
      const baseX = isRelative ? x : 0
      const baseY = isRelative ? y : 0
      if (kind === 'z') [x, y] = [startX, startY]
      else if (kind === 'h') x = baseX + (part[0] as number)
      else if (kind === 'v') y = baseY + (part[0] as number)
      else [x, y] = [baseX + (part.at(-2) as number), baseY + (part.at(-1) as number)]
      if (kind === 'm' && at === 0) [startX, startY] = [x, y]
      found.push([Number(x.toFixed(2)), Number(y.toFixed(2))])
    }
  }
  return found
}

describe("an icon's path", () => {
  it('goes through the points of each shape', () => {
    const points = (shapes: string) => ends(toPath(inSvg(shapes)))
    expect(points('<line x1="2" x2="22" y1="3" y2="4" />')).toEqual([
      [2, 3],
      [22, 4],
    ])
    expect(points('<polyline points="15,9 18,9 18,11" />')).toEqual([
      [15, 9],
      [18, 9],
      [18, 11],
    ])
    expect(points('<polygon points="3 11 22 2 13 21 3 11" />').slice(-2)).toEqual([
      [3, 11],
      [3, 11],
    ])
    expect(points('<circle cx="12" cy="12" r="10" />')).toEqual([
      [2, 12],
      [22, 12],
      [2, 12],
    ])
    expect(points('<ellipse cx="12" cy="5" rx="9" ry="3" />')).toEqual([
      [3, 5],
      [21, 5],
      [3, 5],
    ])
    expect(points('<rect x="4" y="3" width="16" height="18" />')).toEqual([
      [4, 3],
      [20, 3],
      [20, 21],
      [4, 21],
      [4, 3],
      [4, 3],
    ])
  })

  it('has the corners of a rectangle, of which one radius gives the other', () => {
    const rounded = [
      [5, 3],
      [19, 3],
      [20, 4],
      [20, 20],
      [19, 21],
      [5, 21],
      [4, 20],
      [4, 4],
      [5, 3],
      [5, 3],
    ]
    for (const radii of ['rx="1"', 'ry="1"', 'rx="1" ry="1"'])
      expect(ends(toPath(inSvg(`<rect x="4" y="3" width="16" height="18" ${radii} />`)))).toEqual(rounded)
    expect(toPath(inSvg('<rect x="4" y="4" width="4" height="4" rx="9" />'))).toContain('a2 2 0 0 1 2 2')
  })

  it('fills a dot, also where its stroke is thin', () => {
    for (const dot of [
      '<circle cx="5" cy="6" r="1" />',
      '<circle cx="5" cy="6" r="1" fill="currentColor" />',
    ])
      expect(toPath(inSvg(dot))).toMatch(/M5 6h\.01$/)
  })

  it('begins each shape where it is, not at the end of the one before it', () => {
    const [first, second] = ['m14 12 4 4 4-4', 'm.5-.5-4.5.5']
    expect(ends(toPath(inSvg(`<path d="${first}" /><path d="${second}" />`)))).toEqual([
      ...ends(first),
      ...ends(second),
    ])
  })

  it('exists for every drawing, in which it follows each path as Lucide does', () => {
    expect(drawings.length).toBeGreaterThan(1600)
    for (const [name, svg] of drawings) {
      const points = ends(toPath(svg))
      expect(points.every(([x, y]) => x >= 0 && x <= 24 && y >= 0 && y <= 24) || name).toBe(true)
      const text = JSON.stringify(points)
      for (const [, d = ''] of svg.matchAll(/<path d="([^"]*)"/g))
        expect(text.includes(JSON.stringify(ends(d)).slice(1, -1)) || name).toBe(true)
    }
  })

  it('refuses what a path cannot express', () => {
    for (const shapes of [
      '<g><path d="M1 1h2" /></g>',
      '<text x="1">A</text>',
      '<path d="M1 1h2" fill="currentColor" />',
      '<circle cx="5" cy="6" r="3" fill="currentColor" />',
      '<rect x="1" y="1" width="2" height="2" transform="rotate(45)" />',
    ])
      expect(() => toPath(inSvg(shapes)), shapes).toThrow('A path cannot express')
  })
})

describe('an import from virtual:icons', () => {
  const transform = (source: string): string => {
    const { handler } = icons().transform as unknown as {
      handler: (this: { error(message: string): never }, source: string) => { code: string }
    }
    const error = (message: string): never => {
      throw new Error(message)
    }
    return handler.call({ error }, source).code
  }

  it('becomes constants on as many lines', () => {
    expect(transform("import { X, Link as LinkIcon } from 'virtual:icons'\nuse(X)\n")).toBe(
      `const X = ${JSON.stringify(toPath(lucide.X))}, LinkIcon = ${JSON.stringify(toPath(lucide.Link))};\nuse(X)\n`,
    )
    expect(transform("import {\n  X,\n  Check,\n} from 'virtual:icons'\nuse(X)\n").split('\n')[4]).toBe(
      'use(X)',
    )
  })

  it('fails with the name that Lucide does not have', () => {
    expect(() => transform("import { Xx } from 'virtual:icons'\n")).toThrow(
      'Lucide has no icon with the name Xx.',
    )
  })
})
