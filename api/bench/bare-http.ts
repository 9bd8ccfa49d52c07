/**
 * The yardstick for pages: Fastify that answers every path with one finished body, given as a file. No routes, no
 * hooks, no headers beyond the type: what the product costs beyond this is what its headers and checks cost.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastify from 'fastify'

const { HOST, PORT, DATA_DIR, BODY_TYPE } = process.env
if (HOST === undefined || PORT === undefined || DATA_DIR === undefined || BODY_TYPE === undefined) {
  throw new Error('HOST, PORT, DATA_DIR and BODY_TYPE are needed')
}

const body = readFileSync(join(DATA_DIR, 'body'))
const app = fastify()
app.get('/readyz', async () => 'ok')
app.get('/*', (_request, reply) => reply.type(BODY_TYPE).send(body))
await app.listen({ host: HOST, port: Number(PORT) })
