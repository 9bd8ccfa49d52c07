import { crc32, deflateSync } from 'node:zlib'
import { AppError } from '@proctorpass/shared/errors'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { type RasterKind, rewriteRaster } from './raster.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

function chunk(type: string, content: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + content.length)
  bytes.writeUInt32BE(content.length)
  bytes.write(type, 4, 'latin1')
  content.copy(bytes, 8)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + content.length)), 8 + content.length)
  return bytes
}

/** A PNG, by default of one pixel. */
function png({
  width = 1,
  height = 1,
  bits = 8,
  color = 2,
  interlaced = 0,
  data = deflateSync(Buffer.alloc(4)),
  extra = [] as Buffer[],
}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([bits, color, 0, 0, interlaced], 8)
  return Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', header),
    ...extra,
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const solid = (width = 16, height = 16) =>
  sharp({ create: { width, height, channels: 3, background: '#a35' } })

/** A segment of a JPEG. */
function segment(marker: number, content: Buffer): Buffer {
  const bytes = Buffer.concat([Buffer.from([0xff, marker, 0, 0]), content])
  bytes.writeUInt16BE(content.length + 2, 2)
  return bytes
}

/** A JPEG with these segments after the start of the file. */
async function jpegWith(segments: Buffer[]): Promise<Buffer> {
  const bytes = await solid().jpeg().toBuffer()
  return Buffer.concat([bytes.subarray(0, 2), ...segments, bytes.subarray(2)])
}

const refused = expect.objectContaining({ code: 'invalid-input' })

describe('data besides the pixels', () => {
  it('of a PNG never reaches the decoder, so that texts cannot expand in memory', async () => {
    const forty = deflateSync(Buffer.alloc(40_000_000, 'x'), { level: 9 })
    const texts = Array.from({ length: 8 }, (_, index) => [
      chunk('zTXt', Buffer.concat([latin1(`a${index}\0\0`), forty])),
      chunk('iTXt', Buffer.concat([latin1(`b${index}\0\x01\0\0\0`), forty])),
      chunk('iCCP', Buffer.concat([latin1(`c${index}\0\0`), forty])),
    ])
    const before = process.resourceUsage().maxRSS
    await expect(rewriteRaster(png({ extra: texts.flat() }), 'png')).resolves.toMatchObject({ width: 1 })
    expect((process.resourceUsage().maxRSS - before) / 1_024).toBeLessThan(200)
  })

  it('is removed from a JPEG, whose orientation is applied', async () => {
    const lying = await solid(8, 4).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const extra = [segment(0xfe, latin1('a comment')), segment(0xed, Buffer.alloc(65_000))]
    const sent = Buffer.concat([lying.subarray(0, 2), ...extra, lying.subarray(2), latin1('<html>')])
    await expect(rewriteRaster(sent, 'jpg')).resolves.toMatchObject({ width: 4, height: 8 })
  })

  it('is removed from a WebP, whose orientation is applied', async () => {
    const lying = await solid(8, 4).withMetadata({ orientation: 6 }).webp().toBuffer()
    const note = Buffer.concat([latin1('XMP \x06\0\0\0'), latin1('<rdf/>')])
    const sent = Buffer.concat([lying, note])
    sent.writeUInt32LE(sent.length - 8, 4)
    await expect(rewriteRaster(sent, 'webp')).resolves.toMatchObject({ width: 4, height: 8 })
  })

  it('is used when it is a color profile', async () => {
    const wide = await solid().withIccProfile('p3').png().toBuffer()
    const { bytes } = await rewriteRaster(wide, 'png')
    const [red, green] = await sharp(bytes).raw().toBuffer()
    expect(Math.abs((red ?? 0) - 0xaa) + Math.abs((green ?? 0) - 0x33)).toBeLessThan(6)
  })
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %d is applied', async (orientation) => {
  const raw = Buffer.from('R..G..B..Y..C..M..', 'latin1')
  const lying = await sharp(raw, { raw: { width: 3, height: 2, channels: 3 } })
    .withMetadata({ orientation })
    .png()
    .toBuffer()
  const { bytes, width } = await rewriteRaster(lying, 'png', { widths: [] })
  expect(width).toBe(orientation > 4 ? 2 : 3)
  expect(await sharp(bytes).raw().toBuffer()).toEqual(await sharp(lying).autoOrient().raw().toBuffer())
})

describe('a whole image as devices write it', () => {
  const noise = () =>
    sharp({
      create: {
        width: 64,
        height: 48,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
  const junk = latin1('not a segment \xff\x00')
  const insert = (bytes: Buffer, at: number) =>
    Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)])
  it.each<[string, RasterKind, () => Promise<Buffer>]>([
    ['a JPEG without its end', 'jpg', async () => (await noise().jpeg().toBuffer()).subarray(0, -2)],
    [
      'a progressive JPEG without its end',
      'jpg',
      async () => (await noise().jpeg({ progressive: true }).toBuffer()).subarray(0, -2),
    ],
    [
      'a JPEG with zeros instead of its end',
      'jpg',
      async () => Buffer.concat([(await noise().jpeg().toBuffer()).subarray(0, -2), Buffer.alloc(500)]),
    ],
    [
      'a JPEG with bytes between its segments',
      'jpg',
      async () => insert(await noise().jpeg().toBuffer(), 20),
    ],
    [
      'a JPEG with padding before its segments',
      'jpg',
      async () => {
        const bytes = await noise().jpeg().toBuffer()
        return Buffer.concat([bytes.subarray(0, 20), Buffer.alloc(9, 0xff), bytes.subarray(20)])
      },
    ],
    ['a PNG with bytes behind it', 'png', async () => Buffer.concat([await noise().png().toBuffer(), junk])],
    ['a PNG without its last chunk', 'png', async () => (await noise().png().toBuffer()).subarray(0, -12)],
    [
      'a PNG with half of its last chunk',
      'png',
      async () => (await noise().png().toBuffer()).subarray(0, -6),
    ],
    [
      'a WebP whose length counts its head',
      'webp',
      async () => {
        const bytes = await noise().webp().toBuffer()
        bytes.writeUInt32LE(bytes.length, 4)
        return bytes
      },
    ],
  ])('is taken: %s', async (_title, kind, make) => {
    await expect(rewriteRaster(await make(), kind)).resolves.toMatchObject({ width: 64, height: 48 })
  })

  it.each([false, true])('is not half of a JPEG (progressive: %s)', async (progressive) => {
    const bytes = await noise().jpeg({ progressive }).toBuffer()
    for (const share of [0.5, 0.8, 0.97]) {
      const half = bytes.subarray(0, Math.floor(bytes.length * share))
      await expect(rewriteRaster(half, 'jpg')).rejects.toEqual(refused)
    }
  })

  it.each([
    [1_080, 20_000],
    [90, 40_000],
    [1, 65_535],
  ])('may be tall: %d x %d', async (width, height) => {
    const tall = await sharp({ create: { width, height, channels: 3, background: '#123' } })
      .png()
      .toBuffer()
    const stored = await rewriteRaster(tall, 'png')
    expect(Math.max(stored.width, stored.height)).toBeLessThanOrEqual(16_383)
    expect(stored.width * stored.height).toBeLessThanOrEqual(9_000_000)
  })

  it('is told the limit that it breaks', async () => {
    const long = png({ width: 100, height: 65_536, data: deflateSync(Buffer.alloc(65_536 * 301)) })
    await expect(rewriteRaster(long, 'png')).rejects.toThrow(/65,535 pixels per side/)
    await expect(rewriteRaster(png({ width: 6_400, height: 6_400 }), 'png')).rejects.toThrow(/40 megapixels/)
  })
})

it('is admitted by its pixels before they are decoded', async () => {
  // The data are missing, which only decoding finds.
  const giant = png({ width: 6_000, height: 5_000, data: deflateSync(Buffer.alloc(4)) })
  const asked: number[] = []
  const admit = async (pixels: number) => {
    asked.push(pixels)
    throw new AppError('rate-limited', 'slower')
  }
  await expect(rewriteRaster(giant, 'png', { admit })).rejects.toMatchObject({ code: 'rate-limited' })
  expect(asked).toEqual([30_000_000])
})

it('is stored with at most 9 megapixels, in each width', async () => {
  const tall = await solid(1_600, 12_000).png().toBuffer()
  const { width, height, narrower } = await rewriteRaster(tall, 'png', { widths: [1_600, 480] })
  expect(width * height).toBeLessThanOrEqual(9_000_000)
  expect(height / width).toBeCloseTo(7.5, 1)
  const widths = await Promise.all(narrower.map(async ({ bytes }) => (await sharp(bytes).metadata()).width))
  expect(widths).toEqual([width, 480])
})

describe('an image that would take too much time or memory', () => {
  const zeros = (length: number) => deflateSync(Buffer.alloc(length), { level: 9 })
  it.each<[string, RasterKind, () => Buffer | Promise<Buffer>]>([
    ['more data than pixels', 'png', () => png({ data: zeros(50_000_000) })],
    ['fewer data than pixels', 'png', () => png({ width: 5_000, height: 5_000, data: zeros(1_000) })],
    [
      'an interlaced giant',
      'png',
      () => png({ width: 6_000, height: 6_000, interlaced: 1, data: zeros(1_000) }),
    ],
    ['more pixels than allowed', 'png', () => png({ width: 20_000, height: 20_000, bits: 1, color: 0 })],
    [
      'a million empty chunks',
      'png',
      () => png({ extra: Array(200_000).fill(chunk('IDAT', Buffer.alloc(0))) }),
    ],
    [
      'many chunks of no use',
      'png',
      () => png({ extra: Array(20_000).fill(chunk('abcd', Buffer.alloc(0))) }),
    ],
    ['many profiles', 'png', () => png({ extra: Array(20_000).fill(chunk('iCCP', Buffer.alloc(4))) })],
    ['many segments of no use', 'jpg', () => jpegWith(Array(20_000).fill(segment(0xe5, Buffer.alloc(0))))],
    [
      'many chunks of no use',
      'webp',
      async () => {
        const bytes = await solid().webp().toBuffer()
        const whole = Buffer.concat([bytes, ...Array(20_000).fill(latin1('abcd\0\0\0\0'))])
        whole.writeUInt32LE(whole.length - 8, 4)
        return whole
      },
    ],
    ['a chunk longer than the file', 'png', () => png({}).subarray(0, -20)],
    ['no size', 'png', () => png({ width: 0 })],
    ['a thousand tables', 'jpg', () => jpegWith(Array(100_000).fill(segment(0xdd, Buffer.alloc(2))))],
    [
      'a segment longer than the file',
      'jpg',
      async () => Buffer.concat([(await jpegWith([])).subarray(0, 2), Buffer.from([0xff, 0xe0, 0xff, 0xff])]),
    ],
    [
      'a progressive giant',
      'jpg',
      () =>
        solid(6_300, 6_300).jpeg({ progressive: true, chromaSubsampling: '4:4:4', quality: 1 }).toBuffer(),
    ],
    [
      'a progressive one of 24 megapixels in full color',
      'jpg',
      () =>
        solid(6_000, 4_000).jpeg({ progressive: true, chromaSubsampling: '4:4:4', quality: 1 }).toBuffer(),
    ],
    ['a lossless giant', 'webp', () => solid(6_000, 5_100).webp({ lossless: true }).toBuffer()],
    [
      'a hundred scans',
      'jpg',
      async () => {
        const bytes = await solid().jpeg({ progressive: true }).toBuffer()
        const last = bytes.lastIndexOf(Buffer.from([0xff, 0xda]))
        return Buffer.concat([
          bytes.subarray(0, -2),
          ...Array(100).fill(bytes.subarray(last, -2)),
          bytes.subarray(-2),
        ])
      },
    ],
    [
      'a chunk longer than the file',
      'webp',
      async () => {
        const bytes = await solid().webp().toBuffer()
        bytes.writeUInt32LE(0xffffff, 16)
        return bytes
      },
    ],
  ])('is refused: %s (%s)', async (_title, kind, make) => {
    const bytes = await make()
    const before = process.resourceUsage().maxRSS
    await expect(rewriteRaster(bytes, kind)).rejects.toEqual(refused)
    expect((process.resourceUsage().maxRSS - before) / 1_024).toBeLessThan(200)
  })
})

it.each<RasterKind>(['jpg', 'png', 'webp'])(
  'a corrupted %s is refused or decoded, never an internal error',
  async (kind) => {
    const whole = await solid(24, 24)
      .withMetadata({ orientation: 3 })
      .toFormat(kind === 'jpg' ? 'jpeg' : kind)
      .toBuffer()
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % below
    }
    for (let round = 0; round < 60; round += 1) {
      const bytes = Buffer.from(whole.subarray(0, round % 3 === 0 ? random(whole.length) : whole.length))
      for (let flips = random(4); flips >= 0 && bytes.length > 12; flips -= 1) {
        const at = 12 + random(bytes.length - 12)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
      }
      if (bytes.length < 12) continue
      const outcome = await rewriteRaster(bytes, kind).then(
        () => 'read',
        (error: { code?: string }) => error.code,
      )
      expect(['read', 'invalid-input']).toContain(outcome)
    }
  },
)
