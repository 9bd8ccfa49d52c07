import { expect, it } from 'vitest'
import { buildTestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const PATHS = ['/docs', '/docs/', '/docs/json', '/docs/yaml', '/docs/static/logo.svg']

it('documents the API unless API_DOCS is false', async () => {
  const test = await buildTestApp({ variables: { API_DOCS: 'true' } })
  for (const path of PATHS) expect((await test.call('GET', path)).statusCode, path).toBe(200)
  const document = (await test.call('GET', '/docs/json')).json()
  expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'ProctorPass API' } })
  expect(document.paths['/api/chat/{clientId}'].get.responses['200']).toBeDefined()
  expect(document.components.schemas.Error).toBeDefined()
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/docs'))).toEqual([])
  await test.close()
})

it('serves the pages of the API with a policy of their own, and nothing beside them', async () => {
  const test = await buildTestApp({ variables: { API_DOCS: 'true' } })
  const page = await test.call('GET', '/docs')
  expect(page.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringContaining("style-src 'self' 'unsafe-inline'"),
    'x-content-type-options': 'nosniff',
  })
  for (const [, source] of page.body.matchAll(/(?:src|href)="\.?([^"]+)"/g)) {
    expect((await test.call('GET', `${source}`)).statusCode, source).toBe(200)
  }
  const script = await test.call('GET', '/docs/static/swagger-ui-bundle.js')
  expect(script.statusCode).toBe(200)
  const again = { 'if-none-match': String(script.headers.etag) }
  expect((await test.call('GET', '/docs/static/swagger-ui-bundle.js', { headers: again })).statusCode).toBe(
    304,
  )
  for (const path of [
    '/docs/static/../../package.json',
    '/docs/static/%2e%2e/package.json',
    '/docs/nothing',
  ]) {
    const missing = await test.call('GET', path)
    expect([path, missing.statusCode, missing.json().code]).toEqual([path, 404, 'not-found'])
  }
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
