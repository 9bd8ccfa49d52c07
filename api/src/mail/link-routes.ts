import { AppError } from '@proctorpass/shared/errors'
import { mailedLinkPaths } from '@proctorpass/shared/mailed-link-paths'
import {
  ResumedSchema,
  ResumeSchema,
  SubscribeSchema,
  UnsubscribeParamSchema,
} from '@proctorpass/shared/schemas/link'
import { DoneSchema } from '@proctorpass/shared/schemas/list'
import Type from 'typebox'
import { sendPlainPage } from '../http/plain-page.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Links } from './links.ts'
import type { WeeklyMails } from './weekly-mails.ts'
import { ASK_PAGE, DONE_PAGE, UNKNOWN_PAGE } from './weekly-page.ts'

const UNSUBSCRIBE = '/chat/unsubscribe/:token'
const UNSUBSCRIBE_WEEKLY = '/account/weekly/unsubscribe/:token'
const BODY_BYTES_MAX = 16 * 1_024

/** Registers the links' routes in a scope of its own, because mail programs post forms to unsubscribe. */
export function linkRoutes(
  app: TypedApp,
  { links, weeklyMails, publicUrl }: { links: Links; weeklyMails: WeeklyMails; publicUrl: string },
): void {
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_request, _body, done) =>
    done(null),
  )
  weeklyRoutes(app, weeklyMails)

  app.post(
    mailedLinkPaths.resume,
    {
      schema: {
        summary: 'Continue a conversation on this device, with the token of a mailed link',
        body: ResumeSchema,
        response: { 200: ResumedSchema },
      },
    },
    async (request) => links.resume(request.body, request.ip),
  )

  app.post(
    UNSUBSCRIBE,
    {
      schema: {
        summary: 'End all mails to an address; any body is accepted, as mail programs send one',
        params: UnsubscribeParamSchema,
        response: { 200: DoneSchema },
      },
    },
    async (request) => {
      await links.unsubscribe(request.params.token, request.ip)
      return { message: 'Unsubscribed' }
    },
  )

  app.post(
    mailedLinkPaths.subscribe,
    {
      schema: {
        summary: 'Mails to an address again, with the token of an unsubscribe link',
        body: SubscribeSchema,
        response: { 200: DoneSchema },
      },
    },
    async (request) => {
      await links.subscribe(request.body.token, request.ip)
      return { message: 'Subscribed' }
    },
  )

  app.get(
    UNSUBSCRIBE,
    {
      schema: {
        summary: 'The page that asks for a click: opening a link changes nothing',
        params: UnsubscribeParamSchema,
        response: { 303: Type.Null({ description: 'The page' }) },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const token = encodeURIComponent(request.params.token)
      return reply.redirect(`${publicUrl}/c/unsubscribe#${token}`, 303)
    },
  )
}

function weeklyRoutes(app: TypedApp, weeklyMails: WeeklyMails): void {
  app.post(
    UNSUBSCRIBE_WEEKLY,
    {
      schema: {
        summary: "Turn off an admin's weekly mail; any body is accepted, as mail programs send one",
        params: UnsubscribeParamSchema,
        response: { 200: DoneSchema },
      },
    },
    async (request, reply) => {
      const isBrowser = request.headers.accept?.includes('text/html') === true
      try {
        await weeklyMails.unsubscribe(request.params.token, request.ip)
      } catch (error) {
        const isUnknown = error instanceof AppError && error.code === 'not-found'
        if (!isBrowser || !isUnknown) throw error
        return sendPlainPage(reply, UNKNOWN_PAGE)
      }
      return isBrowser ? sendPlainPage(reply, DONE_PAGE) : { message: 'Unsubscribed' }
    },
  )

  app.get(
    UNSUBSCRIBE_WEEKLY,
    {
      schema: {
        summary: 'The page with the button that turns it off: opening a link changes nothing',
        params: UnsubscribeParamSchema,
        response: { 200: Type.String() },
      },
    },
    async (_request, reply) => sendPlainPage(reply, ASK_PAGE),
  )
}
