import { chooseLanguage } from '@proctorpass/shared/choose-language'
import { LOADER_SITE, type LoaderSite } from '@proctorpass/shared/embed'
import { AppError } from '@proctorpass/shared/errors'
import { iconColor } from '@proctorpass/shared/icon-color'
import { SITES_MAX } from '@proctorpass/shared/limits'
import { EMBED_PATH } from '@proctorpass/shared/paths'
import type { ShownText } from '@proctorpass/shared/schemas/config'
import type { Localized } from '@proctorpass/shared/schemas/settings'
import { canFrame, isOriginOf } from '@proctorpass/shared/site-origins'
import type { FastifyInstance } from 'fastify'
import type { Env } from '../env/env.ts'
import { type CachedResponse, compressText, HTML, sendCached } from '../http/cached-response.ts'
import { contentSecurityPolicy } from '../http/security-headers.ts'
import type { Languages } from '../languages/languages.ts'
import { shownTexts } from '../languages/shown-texts.ts'
import type { EmbedSources } from '../pages/pages.ts'
import type { SiteTests } from '../sites/site-tests.ts'
import type { KnownSite, Sites } from '../sites/sites.ts'
import { frameColors } from './frame-colors.ts'

const JAVASCRIPT = 'text/javascript; charset=utf-8'
/** The script for an unknown or disabled site, which leaves the site's pages as they are. */
const NOTHING = '// This chat is turned off.\n'
/** Room for each site's loader, and for one more after a change. */
const COMPRESSED_MAX = 2 * SITES_MAX

interface EmbedOptions {
  env: Env
  sites: Sites
  languages: Pick<Languages, 'shown'>
  siteTests: SiteTests
  sources: EmbedSources
}

/** Serves each site's loader and frame at the root. */
export function embedRoutes(
  app: FastifyInstance,
  { env, sites, languages, siteTests, sources }: EmbedOptions,
): void {
  const compressed = new Map<string, Promise<CachedResponse>>()

  async function enabledSite(id: string): Promise<KnownSite | null> {
    const site = await sites.find(id)
    return site?.enabled ? site : null
  }

  async function loaderText({ _id: id, look }: KnownSite): Promise<string> {
    const { tags } = await languages.shown()
    const site: LoaderSite = {
      ...{ id, origin: env.publicUrl, iconColor: iconColor(look.color) },
      look: { ...look, label: loaderLabels(look.label, tags) },
    }
    return (await sources.loader()).replace(LOADER_SITE, () => JSON.stringify(site))
  }

  function compress(text: string): Promise<CachedResponse> {
    const known = compressed.get(text)
    if (known) return known
    if (compressed.size >= COMPRESSED_MAX) compressed.clear()
    const made = compressText(EMBED_PATH, JAVASCRIPT, text)
    compressed.set(text, made)
    return made
  }

  app.get<{ Params: { site: string } }>(
    `${EMBED_PATH}/:site.js`,
    { schema: { hide: true } },
    async (request, reply) => {
      const site = await enabledSite(request.params.site)
      const script = await compress(site === null ? NOTHING : await loaderText(site))
      reply.headers({
        // Tags with `crossorigin` or `type="module"` need this. The script is the same for all clients and holds no
        // credentials.
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
      })
      return sendCached(request, reply, script)
    },
  )

  app.get<{ Params: { site: string }; Querystring: { test?: string | string[] } }>(
    `${EMBED_PATH}/:site`,
    { schema: { hide: true } },
    async (request, reply) => {
      const site = await enabledSite(request.params.site)
      if (site === null) throw new AppError('not-found', 'This chat is turned off.')
      const { origins, displayName } = site
      const referrer = URL.parse(request.headers.referer ?? '')?.origin
      const { test } = request.query
      if (
        typeof test === 'string' &&
        referrer &&
        referrer !== env.publicUrl &&
        !isOriginOf(origins, referrer)
      ) {
        void siteTests.framingRefused(site._id, test, referrer)
      }
      reply.removeHeader('x-frame-options').headers({
        'content-security-policy': sources.devPolicy ?? contentSecurityPolicy(env, origins.filter(canFrame)),
        'cache-control': 'no-cache',
        // Pages that are isolated from other origins need this.
        'cross-origin-embedder-policy': 'require-corp',
        'cross-origin-resource-policy': 'cross-origin',
      })
      const greeting = shownTexts(site.greeting, (await languages.shown()).tags)
      const colors = frameColors(site.look.color)
      return reply.type(HTML).send(await sources.frame({ origins, colors, displayName, greeting }))
    },
  )
}

/** Returns the labels for the loader, which takes the one whose tag begins the visitor's locale. */
function loaderLabels(label: Localized, tags: readonly string[]): ShownText {
  const keys = new Set(tags.flatMap((tag) => [tag, tag.split('-')[0] ?? tag]))
  const labels = [...keys].map((key) => [key.toLowerCase(), label[chooseLanguage(key, tags) ?? '']])
  return { en: label.en, ...Object.fromEntries(labels.filter(([, text]) => text)) }
}
