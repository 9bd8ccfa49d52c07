import {
  FaqOrderSchema,
  FaqSchema,
  NewQuestionSchema,
  QuestionChangeSchema,
  QuestionIdParamSchema,
  SavedQuestionSchema,
} from '@proctorpass/shared/schemas/faq'
import { LangQuerySchema } from '@proctorpass/shared/schemas/text'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import { fillMissing } from '../content/fill-missing.ts'
import type { ListCache } from '../content/list-cache.ts'
import type { TypedApp } from '../http/validation.ts'
import type { FaqUseCases } from './faq.ts'
import { addressIn, TEXT_BODY_MAX } from './text-routes.ts'
import type { Texts } from './texts.ts'

interface RouteDeps {
  texts: Texts
  faq: FaqUseCases
  listCache: ListCache
}

/** Serves the FAQ to everyone, and its changes to admins. */
export function faqRoutes(app: TypedApp, { texts, faq, listCache }: RouteDeps): void {
  app.get(
    '/faq',
    {
      schema: {
        summary: 'The questions with their answers, in order, in English where they are not translated',
        querystring: LangQuerySchema,
        response: { 200: FaqSchema },
      },
    },
    async (request, reply) => {
      const lang = await texts.shownLanguage(request.query.lang)
      return listCache.sendAs(request, reply, addressIn(request, lang), () => faq.read(lang))
    },
  )

  app.post(
    '/faq',
    {
      bodyLimit: TEXT_BODY_MAX,
      schema: {
        summary: 'Add a question in English as the last one of its group',
        body: NewQuestionSchema,
        response: { 201: SavedQuestionSchema },
      },
      preValidation: async (request) => fillMissing(request, { question: '', answer: '', group: '' }),
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await faq.add(admin, request.body)
      request.log.info({ userId: admin.userId, questionId: data._id }, 'question added')
      reply.code(201)
      return { message: 'Question added', data }
    },
  )

  app.put(
    '/faq/order',
    {
      schema: {
        summary: 'Order the questions; refused with 409 when the stored version is not the given one',
        body: FaqOrderSchema,
        response: { 200: FaqSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await faq.order(admin, request.body)
      request.log.info({ userId: admin.userId, version: data.version }, 'questions ordered')
      return data
    },
  )

  app.delete(
    '/faq/order',
    {
      schema: {
        summary: 'Go back to the shipped list; added questions come last in their groups',
        response: { 200: FaqSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await faq.resetOrder(admin)
      request.log.info({ userId: admin.userId, version: data.version }, 'list of questions reset')
      return data
    },
  )

  app.patch(
    '/faq/:id',
    {
      bodyLimit: TEXT_BODY_MAX,
      schema: {
        summary: 'Change a question; refused with 409 when the stored version is not the given one',
        params: QuestionIdParamSchema,
        querystring: LangQuerySchema,
        body: QuestionChangeSchema,
        response: { 200: SavedQuestionSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await faq.change(admin, request.params.id, request.body, request.query.lang)
      const { _id: questionId, version } = data
      request.log.info({ userId: admin.userId, questionId, version }, 'question changed')
      return { message: 'Question saved', data }
    },
  )

  app.delete(
    '/faq/:id',
    {
      schema: {
        summary: 'Delete a question; a shipped one comes back with the shipped list',
        params: QuestionIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await faq.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, questionId: request.params.id }, 'question deleted')
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/faq/:id/restore',
    {
      schema: {
        summary: 'Restore a question that was deleted less than an hour ago, with its history',
        params: QuestionIdParamSchema,
        response: { 200: SavedQuestionSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await faq.restore(admin, request.params.id)
      request.log.info({ userId: admin.userId, questionId: data._id }, 'question restored')
      return { message: 'Question restored', data }
    },
  )
}
