import type { RenderInput } from '@proctorpass/shared/ssr'
import { englishText } from './dated-pages.ts'

const icon = (size: number, name: string, purpose: string) => ({
  src: `/${name}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})

const ICONS = [
  { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
  icon(192, 'icon-192', 'any'),
  icon(512, 'icon-512', 'any'),
  icon(512, 'icon-maskable-512', 'maskable'),
]

const COLORS = { background_color: '#f6f8f9', theme_color: '#f6f8f9' }

/** Returns the public site's web app manifest. */
export async function manifest(input: RenderInput): Promise<string> {
  const { config } = input
  const { description } = await englishText<'home'>('home', input)
  return JSON.stringify({
    name: config.brand,
    short_name: config.brand,
    description,
    id: '/',
    start_url: '/',
    display: 'browser',
    lang: 'en',
    ...COLORS,
    icons: ICONS,
  })
}

/**
 * Returns the dashboard's manifest, because iPhones and iPads allow push only for installed apps. The scope includes
 * /login.
 */
export function dashboardManifest({ config }: RenderInput): string {
  return JSON.stringify({
    name: `${config.brand} dashboard`,
    short_name: config.brand,
    description: `Answer the visitors of ${config.brand}.`,
    id: '/dashboard',
    start_url: '/dashboard/chats',
    scope: '/',
    display: 'standalone',
    lang: 'en',
    ...COLORS,
    icons: ICONS,
  })
}
