import { ourAnswer } from '../../e2e/our-answer.ts'
import { ADMIN } from '../../e2e/product.ts'
import type { Picture, Scene } from './studio.ts'

async function signIn({ page }: Scene, password: string): Promise<void> {
  await page.getByLabel('Username').fill(ADMIN.userName)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

export const SIGN_IN_PICTURES: readonly Picture[] = [
  { name: 'sign-in', path: '/login' },
  {
    name: 'sign-in-error',
    path: '/login',
    async pose(scene) {
      await signIn(scene, 'not the password')
      await scene.page.getByRole('alert').getByText(/\w/).waitFor()
    },
  },
  {
    name: 'sign-in-second-step',
    path: '/login',
    async pose(scene) {
      await scene.page.route('**/api/auth', (route, request) =>
        route.fulfill(ourAnswer(request, { challenge: 'a', factors: ['totp', 'recovery'] })),
      )
      await signIn(scene, ADMIN.password)
      await scene.page.getByLabel('Password', { exact: true }).waitFor({ state: 'hidden' })
    },
  },
  { name: 'sign-in-invitation', path: '/invite#a-token' },
]
