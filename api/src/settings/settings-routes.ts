import { SettingsChangeSchema, SettingsSchema } from '@proctorpass/shared/schemas/settings'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { SettingsUseCases } from './settings.ts'

/** The texts of 50 languages are longer than most bodies. */
const BODY_BYTES_MAX = 512 * 1_024

export function settingsRoutes(app: TypedApp, { settings }: { settings: SettingsUseCases }): void {
  app.get(
    '/settings',
    { schema: { summary: 'The settings of the chat', response: { 200: SettingsSchema } } },
    (request) => settings.read(adminOf(request)),
  )

  app.put(
    '/settings',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        summary: 'Replace the settings; refused with 409 when the stored version is not the given one',
        body: SettingsChangeSchema,
        response: { 200: SettingsSchema },
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
