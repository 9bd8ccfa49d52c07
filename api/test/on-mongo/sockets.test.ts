import { repeatOnMongo } from './repeat-on-mongo.ts'

repeatOnMongo({
  hub: () => import('../../src/hub/hub.test.ts'),
})
