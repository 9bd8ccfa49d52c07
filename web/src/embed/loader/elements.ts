export const CROSS = 'M6 6l12 12m0-12L6 18'
const SVG = 'http://www.w3.org/2000/svg'

export function make<Name extends 'button' | 'div' | 'span'>(name: Name, className: string, parent: Node) {
  const made = document.createElement(name)
  made.className = className
  parent.appendChild(made)
  return made
}

/**
 * Makes a new icon and returns its line, which is drawn in 24 CSS pixels. Screen readers skip the content of a button
 * that has a label.
 */
export function makeIcon(parent: Node, path: string): SVGPathElement {
  const svg = document.createElementNS(SVG, 'svg')
  const line = document.createElementNS(SVG, 'path')
  line.setAttribute('d', path)
  svg.appendChild(line)
  parent.appendChild(svg)
  return line
}

export function name(element: Element, text: string): void {
  element.setAttribute('aria-label', text)
}
