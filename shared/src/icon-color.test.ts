import { expect, it } from 'vitest'
import { contrast, iconColor } from './icon-color.ts'

it('is black or white, whichever is easier to see', () => {
  expect(['#0a6e39', '#ffe600', '#000000', '#ffffff', '#c4281d'].map(iconColor)).toEqual([
    '#ffffff',
    '#000000',
    '#ffffff',
    '#000000',
    '#ffffff',
  ])
})

it('knows the contrast of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21)
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
})
