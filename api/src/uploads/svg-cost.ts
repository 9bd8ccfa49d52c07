import { refusedSvg, wrongFile } from './wrong-file.ts'

/** The number of elements that may be drawn once every reference is expanded. */
const DRAWN_MAX = 50_000
/** A filter's step works on each pixel of its region. */
const FILTER_COST = 400
const BLUR_MAX = 300
const CHAIN_MAX = 1_000

/** An element as it is written. */
export interface Drawn {
  name: string
  attributes: [name: string, value: string][]
  children: (Drawn | string)[]
  /** The IDs that this element refers to. */
  references: string[]
  /** The number of filters that the element calls by their function names. */
  calls: number
}

/**
 * Counts drawn elements through all references, because nested references multiply. Throws an AppError if there are too
 * many.
 */
export function checkDrawn(root: Drawn): void {
  const byId = new Map<string, Drawn>()
  const collect = (element: Drawn) => {
    const id = attributeOf(element, 'id')
    if (id !== undefined && !byId.has(id)) byId.set(id, element)
    for (const child of element.children) if (typeof child !== 'string') collect(child)
  }
  collect(root)

  const costs = new Map<Drawn, number>()
  const inProgress = new Set<Drawn>()
  const cost = (element: Drawn): number => {
    const known = costs.get(element)
    if (known !== undefined) return known
    if (inProgress.has(element) || inProgress.size > CHAIN_MAX) {
      throw wrongFile('This SVG refers to itself. Export it as PNG.')
    }
    inProgress.add(element)
    let sum = ownCost(element)
    for (const id of element.references) {
      const target = byId.get(id)
      if (target !== undefined) sum += cost(target)
    }
    for (const child of element.children) {
      if (typeof child === 'string') continue
      const whole = cost(child)
      // A filter is drawn only where something refers to it.
      sum += child.name === 'filter' ? 1 : whole
    }
    inProgress.delete(element)
    if (sum > DRAWN_MAX)
      throw wrongFile('This SVG draws too many elements. Simplify it, or export it as PNG.')
    costs.set(element, sum)
    return sum
  }
  cost(root)
}

function ownCost(element: Drawn): number {
  const { name, calls } = element
  const numbers = (attribute: string) =>
    (attributeOf(element, attribute) ?? '').split(/[\s,]+/).map((each) => Math.abs(Number(each)) || 0)
  const most = (attribute: string) => Math.max(...numbers(attribute))
  if (!name.startsWith('fe')) return 1 + calls * FILTER_COST
  if (most('stdDeviation') > BLUR_MAX) throw refusedSvg('a blur that takes too long')
  if (name === 'feTurbulence') return FILTER_COST * (1 + Math.max(1, most('numOctaves')))
  if (name === 'feMorphology') return FILTER_COST * (1 + most('radius') / 10)
  if (name === 'feConvolveMatrix') return FILTER_COST * Math.max(9, most('order') ** 2)
  return FILTER_COST
}

function attributeOf(element: Drawn, name: string): string | undefined {
  return element.attributes.find(([other]) => other === name)?.[1]
}
