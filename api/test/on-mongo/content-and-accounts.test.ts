import { repeatOnMongo } from './repeat-on-mongo.ts'

repeatOnMongo({
  auth: () => import('../../src/auth/auth-routes.test.ts'),
  team: () => import('../../src/auth/team-routes.test.ts'),
  account: () => import('../../src/auth/account-routes.test.ts'),
  faces: () => import('../../src/auth/face-routes.test.ts'),
  'weekly mails': () => import('../../src/mail/weekly-mails.test.ts'),
  'second factors': () => import('../../src/auth/factor-routes.test.ts'),
  passkeys: () => import('../../src/auth/passkey-routes.test.ts'),
  blogs: () => import('../../src/content/blog-routes.test.ts'),
  'states of posts': () => import('../../src/content/post-states.test.ts'),
  'preview links': () => import('../../src/content/preview-links.test.ts'),
  reviews: () => import('../../src/content/review-routes.test.ts'),
  'reviews of admins': () => import('../../src/content/review-admin-routes.test.ts'),
  replies: () => import('../../src/content/reply-routes.test.ts'),
  texts: () => import('../../src/texts/text-routes.test.ts'),
  'the FAQ': () => import('../../src/texts/faq-routes.test.ts'),
  'saved searches': () => import('../../src/search/saved-searches.test.ts'),
  contacts: () => import('../../src/content/contact-routes.test.ts'),
  settings: () => import('../../src/settings/settings-routes.test.ts'),
  'the shown team': () => import('../../src/settings/shown-team.test.ts'),
  'the public configuration': () => import('../../src/settings/config-routes.test.ts'),
})
