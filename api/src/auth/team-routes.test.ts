import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let admin: Awaited<ReturnType<TestApp['signIn']>>
beforeEach(async () => {
  test = await buildTestApp()
  admin = await test.signIn()
})
afterEach(() => test.close())

const team = () => test.call('GET', '/api/team', { headers: admin.bearer })

describe('GET /team', () => {
  it('lists the admins, and nothing secret about them', async () => {
    await test.addSession('not an admin', [])
    const answer = await team()
    expect(answer.statusCode).toBe(200)
    const state = { onDuty: true, disabled: false, invited: false }
    expect(answer.json()).toEqual({
      admins: [
        { userId: admin.user_Id, userName: 'admin', displayName: null, online: true, you: true, ...state },
      ],
    })
  })

  it('is for admins', async () => {
    expect((await test.call('GET', '/api/team')).statusCode).toBe(401)
  })
})
