import type { ShownTexts } from '@proctorpass/shared/page-text'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { plainText } from '@proctorpass/shared/shown-html'
import { withBrand } from '../content/with-brand.ts'
import { langOf, type PageHead, titleOf } from './page-head.ts'

interface Facts {
  config: PublicConfig
  publicUrl: string
  head: PageHead
  canonical: string
  description: string
  image: string
  imageAlt: string | undefined
}

/** Returns JSON-LD with schema.org types. It has no ratings, because our reviews are not verified. */
export function structuredData(facts: Facts): object {
  const { config, publicUrl, head, canonical, description, image, imageAlt } = facts
  const inLanguage = langOf(head)
  const organization = { '@id': `${publicUrl}/#organization` }
  const graph: object[] = [
    {
      '@type': 'Organization',
      ...organization,
      name: config.brand,
      url: `${publicUrl}/`,
      logo: `${publicUrl}/icon-512.png`,
      email: config.supportEmail,
    },
    {
      '@type': 'WebSite',
      '@id': `${publicUrl}/#website`,
      name: config.brand,
      url: `${publicUrl}/`,
      inLanguage: 'en',
      publisher: organization,
    },
  ]
  if (head.article) {
    const { headline, published, modified, author, person } = head.article
    const authorOf = () => {
      if (author) return { '@type': 'Organization', name: author, url: `${publicUrl}/` }
      // An admin without a name writes as the business.
      return person && person !== config.brand ? { '@type': 'Person', name: person } : organization
    }
    graph.push({
      '@type': 'BlogPosting',
      headline,
      description,
      image: imageAlt ? { '@type': 'ImageObject', url: image, description: imageAlt } : image,
      datePublished: published,
      dateModified: modified,
      author: authorOf(),
      publisher: organization,
      mainEntityOfPage: canonical,
      inLanguage,
    })
  }
  const { groups } = (head.text?.text ?? {}) as Partial<ShownTexts['faq']>
  if (groups) graph.push({ '@type': 'FAQPage', url: canonical, inLanguage, mainEntity: questionsIn(groups) })
  if (head.trail) {
    const trail = [
      { name: 'Home', url: `${publicUrl}/` },
      ...head.trail.map(({ name, path }) => ({ name, url: publicUrl + path })),
      { name: head.article?.headline ?? titleOf(head, config.brand), url: canonical },
    ]
    graph.push({
      '@type': 'BreadcrumbList',
      itemListElement: trail.map(({ name, url }, index) => ({
        '@type': 'ListItem',
        position: index + 1,
        name: withBrand(name, config.brand),
        item: url,
      })),
    })
  }
  return { '@context': 'https://schema.org', '@graph': graph }
}

function questionsIn(groups: ShownTexts['faq']['groups']): object[] {
  return groups
    .flatMap(({ questions }) => questions)
    .map(({ question, html, lang }) => ({
      '@type': 'Question',
      name: question,
      ...(lang !== undefined && { inLanguage: lang }),
      acceptedAnswer: {
        '@type': 'Answer',
        text: plainText(html.replaceAll('<', ' <')).replace(/\s+/g, ' ').trim(),
      },
    }))
}
