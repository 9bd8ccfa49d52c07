import { DoneSchema } from '@proctorpass/shared/schemas/list'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Samples } from './samples.ts'

/** Serves the removal of the sample posts and reviews. */
export function sampleRoutes(app: TypedApp, { samples }: { samples: Samples }): void {
  app.delete(
    '/demo',
    { schema: { summary: 'Remove all sample posts and reviews in one step', response: { 200: DoneSchema } } },
    async (request) => {
      const admin = adminOf(request)
      const removed = await samples.remove(admin)
      request.log.info({ userId: admin.userId, ...removed }, 'samples removed')
      const { blogs, reviews } = removed
      const message =
        blogs + reviews === 0
          ? 'There are no samples left.'
          : `Samples removed: ${count(blogs, 'post')} and ${count(reviews, 'review')}`
      return { message }
    },
  )
}

function count(many: number, name: string): string {
  return `${many} ${name}${many === 1 ? '' : 's'}`
}
