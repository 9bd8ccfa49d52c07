import {
  ConversationSummarySchema,
  MessageParamSchema,
  PatchMessageSchema,
  PostedMessageSchema,
} from '@proctorpass/shared/schemas/chat'
import { ClientIdParamSchema } from '@proctorpass/shared/schemas/ids'
import {
  ActivityPageSchema,
  ActivityQuerySchema,
  BulkChangedSchema,
  BulkChangeSchema,
  CountsSchema,
  EntryParamSchema,
  LabelListSchema,
  PatchConversationSchema,
  PostedNoteSchema,
  PostNoteSchema,
} from '@proctorpass/shared/schemas/inbox'
import { PostSeenSchema, UnseenSchema, UpdateListSchema } from '@proctorpass/shared/schemas/updates'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Chat } from './chat.ts'

const tags = ['inbox']

/** Serves status, assignee, labels, snooze, notes, and their log. */
export function inboxRoutes(
  app: TypedApp,
  { inbox, updates, edit }: Pick<Chat, 'inbox' | 'updates' | 'edit'>,
): void {
  app.get(
    '/chat/counts',
    {
      schema: {
        tags,
        summary: 'The number of conversations in each tab of the list',
        response: { 200: CountsSchema },
      },
    },
    async (request) => inbox.counts(adminOf(request)),
  )

  app.get(
    '/chat/labels',
    { schema: { tags, summary: 'The labels in use', response: { 200: LabelListSchema } } },
    async (request) => inbox.labels(adminOf(request)),
  )

  app.get(
    '/chat/updates',
    {
      schema: {
        tags,
        summary: 'What concerns the admin: mentions, assignments and waiting visitors, newest first',
        response: { 200: UpdateListSchema },
      },
    },
    async (request) => updates.list(adminOf(request)),
  )

  app.post(
    '/chat/updates/seen',
    {
      schema: {
        tags,
        summary: 'Mark what the admin has seen of conversations; marks only move forwards',
        body: PostSeenSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await updates.markSeen(adminOf(request), request.body)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/chat/admin/:clientId/unseen',
    {
      schema: {
        tags,
        summary: 'Mark a conversation as unread for this admin: the mark goes back behind the newest message',
        params: ClientIdParamSchema,
        response: { 200: UnseenSchema },
      },
    },
    async (request) => updates.markUnseen(adminOf(request), request.params.clientId),
  )

  app.get(
    '/chat/admin/:clientId/summary',
    {
      schema: {
        tags,
        summary: 'A conversation as the list shows it',
        params: ClientIdParamSchema,
        response: { 200: ConversationSummarySchema },
      },
    },
    async (request) => inbox.summary(adminOf(request), request.params.clientId),
  )

  app.patch(
    '/chat/admin/:clientId',
    {
      schema: {
        tags,
        summary: 'Change the status, the assignee or the labels; 409 when another version is stored',
        params: ClientIdParamSchema,
        body: PatchConversationSchema,
        response: { 200: ConversationSummarySchema },
      },
    },
    async (request) => inbox.change(adminOf(request), request.params.clientId, request.body),
  )

  app.patch(
    '/chat/admin/:clientId/messages/:seq',
    {
      schema: {
        tags,
        summary:
          "Correct the caller's newest message, for 15 minutes and until anyone writes; 409 afterwards",
        params: MessageParamSchema,
        body: PatchMessageSchema,
        response: { 200: PostedMessageSchema },
      },
    },
    async (request) => {
      const { clientId, seq } = request.params
      const data = await edit(adminOf(request), clientId, Number(seq), request.body)
      return { message: 'Message changed', data }
    },
  )

  app.post(
    '/chat/admin/bulk',
    {
      schema: {
        tags,
        summary: 'Make the same change to up to 100 conversations',
        body: BulkChangeSchema,
        response: { 200: BulkChangedSchema },
      },
    },
    async (request) => inbox.changeAll(adminOf(request), request.body),
  )

  app.get(
    '/chat/admin/:clientId/activity',
    {
      schema: {
        tags,
        summary: 'Notes and changes of a conversation, in pages by n',
        params: ClientIdParamSchema,
        querystring: ActivityQuerySchema,
        response: { 200: ActivityPageSchema },
      },
    },
    async (request) => inbox.activity(adminOf(request), request.params.clientId, request.query),
  )

  app.post(
    '/chat/admin/:clientId/activity/:n/message',
    {
      schema: {
        tags,
        summary: 'Make a message of the visitor of an email that is an entry, once',
        params: EntryParamSchema,
        response: { 200: PostedMessageSchema, 201: PostedMessageSchema },
      },
    },
    async (request, reply) => {
      const { clientId, n } = request.params
      const { message, repeated } = await inbox.addMessage(adminOf(request), clientId, Number(n))
      reply.code(repeated ? 200 : 201)
      return { message: 'Added to the conversation', data: message }
    },
  )

  app.post(
    '/chat/admin/:clientId/notes',
    {
      schema: {
        tags,
        summary: 'Write a note, which only admins see',
        params: ClientIdParamSchema,
        body: PostNoteSchema,
        response: { 200: PostedNoteSchema, 201: PostedNoteSchema },
      },
    },
    async (request, reply) => {
      const { activity, repeated } = await inbox.addNote(
        adminOf(request),
        request.params.clientId,
        request.body,
      )
      reply.code(repeated ? 200 : 201)
      return { message: 'Note saved', data: activity }
    },
  )
}
