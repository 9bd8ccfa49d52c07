import type { CompiledTexts } from '@proctorpass/shared/shipped-texts'
import { sanitizePostHtml } from '../content/post-html.ts'

/** No shipped text links to this origin. */
const OWN_ORIGIN = 'https://own.invalid'

/** Says which shipped texts have HTML that the cleaning of posts would change. */
export function wrongTexts({ pages, articles, questions }: CompiledTexts): string[] {
  const htmls = [
    ...[pages.privacy, pages.terms].map(({ title, content }) => ({ title, html: content })),
    ...Object.entries(articles).map(([slug, { fields }]) => ({ title: slug, html: fields.content })),
    ...questions.map(({ question, answer }) => ({ title: question, html: answer })),
  ]
  return htmls.flatMap(({ title, html }) => {
    const clean = sanitizePostHtml(html, OWN_ORIGIN)
    if (clean === html) return []
    let same = 0
    while (html[same] === clean[same]) same += 1
    return [`${title}: posts cannot have the HTML at "${html.slice(same, same + 60)}".`]
  })
}
