import { expect, it } from 'vitest'
import { contrast, iconColor, mix, textColor } from './icon-color.ts'

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

it('mixes two colors', () => {
  expect([mix('#102030', '#ffffff', 0), mix('#000000', '#ffffff', 0.5)]).toEqual(['#102030', '#808080'])
})

it('makes any color readable on light and dark grounds', () => {
  for (const ground of ['#ffffff', '#141917']) {
    for (const color of ['#0a6e39', '#ffe600', '#000000', '#ffffff', '#1d5aa8', '#777777'])
      expect(contrast(textColor(color, ground), ground)).toBeGreaterThanOrEqual(5.6)
  }
  expect(textColor('#0a6e39', '#ffffff')).toBe('#0a6e39')
})
