import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import type { Plugin } from 'vite'
import { CARD_HEIGHT, CARD_WIDTH } from '../src/metadata/card.ts'

/** The light theme's `--paper`, which is the background of cards and tiles. */
const PAPER = '#f6f8f9'
const GREEN = '#0b7a3f'
/** The drawings for posts and articles, and the pages' drawings, which only cards show. */
const DRAWINGS = ['public/images/posts', 'build/cards']
const ICON = 'public/favicon.svg'
const ICO_SIZE = 32

/** Renders our SVG drawings as PNG: each as a card for link previews, and the icons that cannot be SVG. */
export function cardsAndIcons(): Plugin {
  return {
    name: 'cards-and-icons',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle() {
      const { root } = this.environment.config
      const emit = (fileName: string, source: Buffer) => this.emitFile({ type: 'asset', fileName, source })

      const drawings = DRAWINGS.flatMap((dir) =>
        readdirSync(join(root, dir))
          .filter((name) => name.endsWith('.svg'))
          .map((name) => join(root, dir, name)),
      )
      for (const file of drawings) emit(`cards/${basename(file, '.svg')}.png`, await card(file))

      const icon = readFileSync(join(root, ICON))
      emit('favicon.ico', ico(await tile(icon, ICO_SIZE)))
      emit('icon-192.png', await tile(icon, 192))
      emit('icon-512.png', await tile(icon, 512))
      // Phones crop these icons: the background reaches the edge, and the tick stays inside the safe zone.
      emit('apple-touch-icon.png', await filledTile(icon, 180))
      emit('icon-maskable-512.png', await filledTile(icon, 512))
      emit('badge-96.png', await silhouette(icon, 96))
    },
  }
}

function card(file: string): Promise<Buffer> {
  return sharp(file)
    .resize(CARD_WIDTH, CARD_HEIGHT)
    .flatten({ background: PAPER })
    .png({ palette: true, colours: 32, effort: 10 })
    .toBuffer()
}

function tile(icon: Buffer, size: number): Promise<Buffer> {
  return sharp(icon, { density: 72 * (size / ICO_SIZE) })
    .resize(size, size)
    .png({ compressionLevel: 9 })
    .toBuffer()
}

/** Draws only the tick, in white, because Android draws a notification's badge from its opacity. */
async function silhouette(icon: Buffer, size: number): Promise<Buffer> {
  const { data, info } = await sharp(await tile(icon, size))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (let at = 0; at < data.length; at += 4) {
    // The tile has almost no red, and the tick is white, so the red channel becomes the opacity.
    data[at + 3] = Math.round(((data[at] ?? 0) * (data[at + 3] ?? 0)) / 255)
    data.fill(255, at, at + 3)
  }
  return sharp(data, { raw: info }).png({ compressionLevel: 9 }).toBuffer()
}

async function filledTile(icon: Buffer, size: number): Promise<Buffer> {
  const inner = Math.round(size * 0.8)
  return sharp({ create: { width: size, height: size, channels: 4, background: GREEN } })
    .composite([{ input: await tile(icon, inner) }])
    .png({ compressionLevel: 9 })
    .toBuffer()
}

/** Wraps one PNG in an ICO file. */
function ico(png: Buffer): Buffer {
  const header = Buffer.alloc(22)
  header.writeUInt16LE(1, 2) // The type: an icon.
  header.writeUInt16LE(1, 4) // The number of images.
  header.writeUInt8(ICO_SIZE, 6)
  header.writeUInt8(ICO_SIZE, 7)
  header.writeUInt16LE(1, 10)
  header.writeUInt16LE(32, 12)
  header.writeUInt32LE(png.length, 14)
  header.writeUInt32LE(header.length, 18)
  return Buffer.concat([header, png])
}
