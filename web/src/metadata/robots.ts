import type { RenderInput } from '@proctorpass/shared/ssr'
import { SITEMAP_PATH } from './site-paths.ts'

export function robots({ publicUrl }: RenderInput): string {
  return [
    'User-agent: *',
    'Disallow: /dashboard',
    'Disallow: /login',
    'Disallow: /invite',
    '',
    `Sitemap: ${publicUrl}${SITEMAP_PATH}`,
    '',
  ].join('\n')
}
