import type { RenderInput } from '@proctorpass/shared/ssr'
import { home } from '../content/home.ts'
import { withBrand } from '../content/with-brand.ts'

const icon = (size: number, name: string, purpose: string) => ({
  src: `/${name}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})

/** The web app manifest. */
export function manifest({ config }: RenderInput): string {
  return JSON.stringify({
    name: config.brand,
    short_name: config.brand,
    description: withBrand(home.description, config.brand),
    id: '/',
    start_url: '/',
    display: 'browser',
    lang: 'en',
    background_color: '#f6f8f9',
    theme_color: '#f6f8f9',
    icons: [
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
      icon(192, 'icon-192', 'any'),
      icon(512, 'icon-512', 'any'),
      icon(512, 'icon-maskable-512', 'maskable'),
    ],
  })
}
