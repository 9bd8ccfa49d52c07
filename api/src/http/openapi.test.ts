import { expect, it } from 'vitest'
import { buildTestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const PATHS = ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/index.html']

it('documents the API unless API_DOCS is false', async () => {
  const test = await buildTestApp({ variables: { API_DOCS: 'true' } })
  for (const path of PATHS) expect((await test.call('GET', path)).statusCode, path).not.toBe(404)
  await test.close()
})

it('answers 404 when API_DOCS is false, with pages and without', async () => {
  const build = makeWebBuild()
  for (const variables of [{ SERVE_WEB: 'false' }, { SERVE_WEB: 'true' }]) {
    const test = await buildTestApp({
      variables: { API_DOCS: 'false', ...variables },
      distDir: build.distDir,
    })
    const nowhere = await test.call('GET', '/nowhere/at/all')
    if (variables.SERVE_WEB === 'false') expect(nowhere.statusCode).toBe(404)
    for (const path of PATHS) {
      const answer = await test.call('GET', path)
      // An address with a slash at its end is first sent to the one without.
      if (answer.statusCode >= 300 && answer.statusCode < 400) {
        expect([path, answer.headers.location]).toEqual(['/docs/', '/docs'])
        continue
      }
      expect([path, answer.statusCode, answer.headers['content-type']]).toEqual([
        path,
        nowhere.statusCode,
        nowhere.headers['content-type'],
      ])
      expect(answer.headers['content-security-policy']).toBe(nowhere.headers['content-security-policy'])
      expect(answer.body).not.toContain('openapi')
      expect(answer.body).not.toContain('swagger')
    }
    await test.close()
  }
  build.remove()
})
