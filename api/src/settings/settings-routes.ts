import { SettingsSchema } from '@proctorpass/shared/schemas/settings'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { SettingsUseCases } from './settings.ts'

const tags = ['settings']
const security = [{ accessToken: [] }]
const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

export function settingsRoutes(app: TypedApp, { settings }: { settings: SettingsUseCases }): void {
  app.get(
    '/settings',
    {
      schema: {
        tags,
        summary: 'The settings of the chat',
        security,
        response: { 200: SettingsSchema, ...errors },
      },
    },
    (request) => settings.read(adminOf(request)),
  )

  app.put(
    '/settings',
    {
      schema: {
        tags,
        summary: 'Replace the settings; refused with 409 when the stored version is not the given one',
        security,
        body: SettingsSchema,
        response: { 200: SettingsSchema, ...errors },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const stored = await settings.replace(admin, request.body)
      request.log.info({ userId: admin.userId, version: stored.version }, 'settings changed')
      return stored
    },
  )
}
