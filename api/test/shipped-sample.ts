import { TEXT_RULES, type TextFields, type TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { ARTICLE_SLUGS } from '@proctorpass/shared/limits'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { kindOfKey, PAGE_KEYS, questionKey, type TextKey } from '@proctorpass/shared/text-keys'

/** The least that a rule allows, with words of a release. */
function sample(rule: { is: string; of?: object; parts?: object; min?: number }, words: string): unknown {
  if (rule.is === 'list') return [sample(rule.of as typeof rule, words)]
  if (rule.is === 'parts') return sampleOf(rule.parts ?? {}, words)
  if (rule.is === 'flag') return true
  if (rule.is === 'html') return `<p>${words}</p>`
  if (rule.is === 'path') return '/images/posts/a.svg'
  return words.padEnd(rule.min ?? 0, '.')
}

function sampleOf(rules: object, words: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, sample(rule, words)]))
}

const GROUPS = [
  { id: 'booking', title: 'Booking' },
  { id: 'payment', title: 'Payment' },
]

/** The texts of a small release: `words` are in each of them. */
export function shippedSample(
  words = 'First release',
  questions: [group: string, ...ids: string[]][] = [
    ['booking', 'how-far-ahead', 'which-exams'],
    ['payment', 'refunds'],
  ],
): ShippedTexts {
  const items = questions.flatMap(([group, ...ids]) =>
    ids.map((_id) => ({ _id, group, question: `${words}: ${_id}?`, answer: `<p>${words}</p>` })),
  )
  const fields = new Map<string, TextFields>()
  for (const key of [...PAGE_KEYS, ...ARTICLE_SLUGS.map((slug) => `article:${slug}`)]) {
    const kind = kindOfKey(key) ?? 'home'
    fields.set(key, sampleOf(TEXT_RULES[kind], words) as unknown as TextFields)
  }
  const faq = fields.get('faq') as TextFieldsByKind['faq']
  fields.set('faq', { ...faq, groups: GROUPS })
  for (const { _id, question, answer } of items) fields.set(questionKey(_id), { question, answer })
  return {
    keys: [...fields.keys()] as TextKey[],
    fields: (key) => fields.get(key),
    faq: { groups: GROUPS, items },
    article: () => undefined,
  }
}
