import type { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { RouteObject } from 'react-router'
import { dashboardRoute } from '../dashboard/routes.tsx'
import { type MountPreview, PagePreviewContext } from '../lib/page-preview.ts'
import { PersistentLogin, RequireRole } from '../sign-in/guards.tsx'

const ALLOWED: readonly (typeof ADMIN_ROLE)[] = ['Admin']

const mountPreview: MountPreview = async (...args) =>
  (await import('./page-preview.tsx')).mountPreview(...args)

export const adminArea: RouteObject = {
  id: 'persistent-login',
  Component: PersistentLogin,
  children: [
    {
      id: 'require-admin',
      element: (
        <PagePreviewContext value={mountPreview}>
          <RequireRole allowed={ALLOWED} />
        </PagePreviewContext>
      ),
      children: [dashboardRoute],
    },
  ],
}
