// @vitest-environment jsdom

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { enterLayer, enterSheet, isSheetEntry } from './sheet-history.ts'

const leaves: (() => void)[] = []
const closed: string[] = []
const enterAs = (enter: typeof enterSheet, name: string) => {
  const leave = enter(() => closed.push(name))
  leaves.push(leave)
  return leave
}
const settled = () => vi.waitFor(() => expect(isSheetEntry(history.state)).toBe(false))

beforeEach(() => {
  history.replaceState({ idx: 3 }, '')
  closed.length = 0
})
afterEach(async () => {
  for (const leave of leaves.splice(0)) leave()
  await settled()
})

it('Back closes the menu, then the sheet, and stays on the page', async () => {
  enterAs(enterSheet, 'sheet')
  enterAs(enterLayer, 'menu')
  history.back()
  await vi.waitFor(() => expect(closed).toEqual(['menu']))
  expect(isSheetEntry(history.state)).toBe(true)
  history.back()
  await vi.waitFor(() => expect(closed).toEqual(['menu', 'sheet']))
  expect(history.state).toEqual({ idx: 3 })
})

it('closing both otherwise leaves no entry, and calls no listener', async () => {
  const leaveSheet = enterAs(enterSheet, 'sheet')
  enterAs(enterLayer, 'menu')()
  leaveSheet()
  await settled()
  expect(closed).toEqual([])
})

it('a menu that closes leaves the entry of the sheet', async () => {
  enterAs(enterSheet, 'sheet')
  enterAs(enterLayer, 'menu')()
  await vi.waitFor(() => expect(history.state).toMatchObject({ chatSheet: 1 }))
  history.back()
  await vi.waitFor(() => expect(closed).toEqual(['sheet']))
})

it('without a sheet a menu has no entry', () => {
  enterAs(enterLayer, 'menu')
  expect(history.state).toEqual({ idx: 3 })
})
