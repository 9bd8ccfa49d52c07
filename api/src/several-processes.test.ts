import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { describeOnMongo } from '../test/mongo-server.ts'
import { type ServerProcess, startServer, temporaryDir } from '../test/server-process.ts'

describeOnMongo('two processes on one store', (freshUrl) => {
  let dir: ReturnType<typeof temporaryDir>
  let both: ServerProcess[]
  beforeEach(() => {
    dir = temporaryDir('processes')
    both = []
  })
  afterEach(async () => {
    await Promise.all(both.map((each) => each.stop('SIGKILL')))
    dir.remove()
  })

  it('create one first admin when started at once, and one writes the password to its file', async () => {
    const env = {
      MONGODB_URL: freshUrl(),
      JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW',
      ADMIN_PASSWORD: '',
    }
    both = await Promise.all(
      ['one', 'two'].map((name) => startServer({ dataDir: `${dir.path}/${name}`, env })),
    )
    await vi.waitFor(() => {
      for (const each of both) expect(each.output()).toContain('is running at')
    })
    const files = both.flatMap((each) => /^The first password is in (.+)$/m.exec(each.output())?.[1] ?? [])
    expect(files).toHaveLength(1)
    expect(['one', 'two'].filter((name) => existsSync(`${dir.path}/${name}/first-password`))).toHaveLength(1)
    const password = readFileSync(files[0] ?? '', 'utf8').trim()
    for (const { origin } of both) {
      const answer = await fetch(`${origin}/api/auth`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ userName: 'admin', password }),
      })
      expect(answer.status).toBe(200)
    }
  })
})
