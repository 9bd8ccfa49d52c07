import { parentPort, workerData } from 'node:worker_threads'
import { parseMail, readHead } from './parse-mail.ts'
import type { MailWork } from './parser.ts'

const { part, raw } = workerData as MailWork
parentPort?.postMessage(part === 'head' ? readHead(raw) : await parseMail(raw))
