import type { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { RouteObject } from 'react-router'
import { dashboardRoute } from '../dashboard/routes.tsx'
import { PersistentLogin, RequireRole } from '../sign-in/guards.tsx'

const ALLOWED: readonly (typeof ADMIN_ROLE)[] = ['Admin']

export const adminArea: RouteObject = {
  id: 'persistent-login',
  Component: PersistentLogin,
  children: [
    {
      id: 'require-admin',
      element: <RequireRole allowed={ALLOWED} />,
      children: [dashboardRoute],
    },
  ],
}
