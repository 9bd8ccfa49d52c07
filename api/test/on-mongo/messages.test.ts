import { repeatOnMongo } from './repeat-on-mongo.ts'

// `npm test` runs this file, which follows a message. The others run in `npm run test:all`.
repeatOnMongo({
  hub: () => import('../../src/hub/hub.test.ts'),
  chat: () => import('../../src/chat/chat-routes.test.ts'),
})
