// @vitest-environment jsdom

import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { useLanguage } from '../language/language.ts'
import { head } from './team.tsx'

const FACE = `/uploads/${'a1'.repeat(20)}.webp`
const english = useLanguage.getState()

afterEach(() => {
  cleanup()
  useLanguage.setState(english)
})

const show = (...team: Parameters<typeof head>[0]['team']) => render(head({ team }))
const faces = () => screen.getAllByRole('img').map((face) => [face.tagName, face.textContent])

it('shows nothing without anyone to show', () => {
  expect(show().container.childElementCount).toBe(0)
})

it('shows each face under its name, and the names beside them', () => {
  const { container } = show({ name: 'Ada', face: FACE }, { name: 'émile', face: null })
  expect(screen.getByRole('img', { name: 'Ada' }).getAttribute('src')).toBe(FACE)
  expect(faces()).toEqual([
    ['IMG', ''],
    ['SPAN', 'É'],
  ])
  expect(screen.getByRole('img', { name: 'émile' })).toBeTruthy()
  expect(container.querySelector('p')?.textContent).toBe('Ada and émile')
  expect([...container.querySelectorAll('bdi')].map(({ textContent }) => textContent)).toEqual([
    'Ada',
    'émile',
  ])
})

it("joins the names as the visitor's language does", () => {
  useLanguage.setState({ locale: 'zh-CN' })
  const { container } = show(
    { name: '安娜', face: null },
    { name: 'Ada', face: null },
    { name: 'Lin', face: null },
  )
  expect(container.querySelector('p')?.textContent).toBe('安娜、Ada和Lin')
  expect(faces().map(([, text]) => text)).toEqual(['安', 'A', 'L'])
})

it('shows the first letter while a picture cannot be loaded, and then the next picture', () => {
  const { rerender } = show({ name: 'Ada', face: FACE })
  fireEvent.error(screen.getByRole('img', { name: 'Ada' }))
  expect(faces()).toEqual([['SPAN', 'A']])
  rerender(head({ team: [{ name: 'Ada', face: FACE.replace('a1', 'b2') }] }))
  expect(faces()).toEqual([['IMG', '']])
})
