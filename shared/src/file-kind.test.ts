import { expect, it } from 'vitest'
import { convertHint, fileKindOf, isConvertible } from './file-kind.ts'

const kindOf = (text: string) => fileKindOf(Buffer.from(text, 'latin1'))

it.each([
  ['\x89PNG\r\n\x1a\n', 'PNG'],
  ['\xff\xd8\xff\xe0', 'JPEG'],
  ['RIFF\0\0\0\0WEBPVP8 ', 'WebP'],
  ['RIFF\0\0\0\0WAVE', null],
  ['%PDF-1.4', 'PDF'],
  ['\x1b%-12345X@PJL\r\n%PDF-1.4', 'PDF'],
  ['GIF89a%PDF-1.4', 'GIF'],
  ['\0\0\0\x18ftypheic\0\0\0\0mif1', 'HEIC'],
  ['\0\0\0\x18ftypmif1\0\0\0\0heic', 'HEIC'],
  ['\0\0\0\x1cftypavif\0\0\0\0mif1', 'AVIF'],
  ['\0\0\0\x18ftypmp42\0\0\0\0', 'video'],
  ['II*\0', 'TIFF'],
  ['BM\x36\0', 'BMP'],
  ['<?xml version="1.0"?><svg xmlns="', 'SVG'],
  ['\xff\xfe<\0s\0v\0g\0 \0', 'SVG'],
  ['<s:svg xmlns:s="', 'SVG'],
  ['<html><body>', null],
  ['', null],
])('%j is %s', (start, kind) => {
  expect(kindOf(start)).toBe(kind)
})

it('says how an image is sent as JPEG', () => {
  expect(isConvertible('HEIC')).toBe(true)
  expect(isConvertible('ZIP')).toBe(false)
  expect(convertHint('HEIC')).toContain('iPhone')
  expect(convertHint('TIFF')).toBe('This image is TIFF. Save it as JPEG or PNG, then choose that file.')
})
