/**
 * The yardstick for a start and for idle memory: Fastify, Socket.IO and SQLite that serve one route. JavaScript, so that
 * no time goes into stripping types.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'
import { Server } from 'socket.io'

const { HOST, PORT, DATA_DIR } = process.env
const db = new DatabaseSync(join(DATA_DIR, 'bare.sqlite'))
db.exec('PRAGMA journal_mode = WAL')
db.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT)')
const count = db.prepare('SELECT count(*) AS count FROM messages')

const app = fastify()
app.get('/readyz', async () => count.get())
new Server(app.server, { transports: ['websocket'], serveClient: false })
await app.listen({ host: HOST, port: Number(PORT) })
