import { repeatOnMongo } from './repeat-on-mongo.ts'

repeatOnMongo({
  files: () => import('../../src/chat/attachment-routes.test.ts'),
  inbox: () => import('../../src/chat/inbox-routes.test.ts'),
  corrections: () => import('../../src/chat/edit-routes.test.ts'),
  'blocks, ratings and exports': () => import('../../src/chat/blocks-and-ratings-routes.test.ts'),
  visitors: () => import('../../src/chat/visitor-routes.test.ts'),
  events: () => import('../../src/events/event-routes.test.ts'),
  reports: () => import('../../src/reports/report-routes.test.ts'),
  suggestions: () => import('../../src/reports/suggestion-routes.test.ts'),
  search: () => import('../../src/search/search-routes.test.ts'),
  writings: () => import('../../src/search/writings.test.ts'),
})
