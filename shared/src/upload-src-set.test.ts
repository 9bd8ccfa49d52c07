import { expect, it } from 'vitest'
import { uploadSrcSet } from './upload-src-set.ts'

const hash = 'ab'.repeat(20)

it('lists the widths that the server stores of an upload', () => {
  expect(uploadSrcSet(`/uploads/${hash}.jpg`)).toBe(
    `/uploads/${hash}-480.webp 480w, /uploads/${hash}-960.webp 960w, /uploads/${hash}-1600.webp 1600w`,
  )
})

it('lists no width above the image, and each with its real width', () => {
  expect(uploadSrcSet(`/uploads/${hash}.png`, 700)).toBe(
    `/uploads/${hash}-480.webp 480w, /uploads/${hash}-960.webp 700w`,
  )
  expect(uploadSrcSet(`/uploads/${hash}.png`, 480)).toBe(`/uploads/${hash}-480.webp 480w`)
  expect(uploadSrcSet(`/uploads/${hash}.webp`, 4_000)).toContain('-1600.webp 1600w')
})

it('ignores SVG, stored widths and images of other sites', () => {
  for (const url of [
    `/uploads/${hash}.svg`,
    `/uploads/${hash}-480.webp`,
    '/images/posts/desk.svg',
    `https://x.example/uploads/${hash}.jpg`,
  ])
    expect(uploadSrcSet(url)).toBeUndefined()
})
