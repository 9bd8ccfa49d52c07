import { randomUUID } from 'node:crypto'
import { type Db, MongoClient } from 'mongodb'
import { describe } from 'vitest'
import type { Stores } from '../src/storage/model/storage.ts'
import { connectMongo, type MongoConnection } from '../src/storage/mongo/connection.ts'
import { openMongo, openOn } from '../src/storage/mongo/open-mongo.ts'
import { describeOnMongo } from './mongo-server.ts'
import { MemoryMongo } from './simulation/memory-mongo.ts'
import type { Step } from './simulation/memory-mongo-calls.ts'

/** The part of a MongoClient that tests use to look below the adapter. */
export type RawMongo = Pick<MongoClient, 'close'> & { db(): Db }

/** Why a test is left out in memory. */
export const NO_COMMANDS = 'the stand-in in memory has no commands that a client can watch'
export const NO_CONNECTION = 'the stand-in in memory has no connection that a proxy can cut'

const SCHEME = 'memory:'
const inMemory = new Map<string, MemoryMongo>()

/**
 * Tests on MongoDB, and again on the stand-in of the simulation, which applies each step at once. `url` is of a new
 * database with each call. Use it with the functions below.
 */
export function describeOnEachMongo(
  name: string,
  tests: (url: () => string, isMemory: boolean) => void,
): void {
  describeOnMongo(name, (url) => tests(url, false))
  describe(`${name}, in memory`, () => tests(freshMemoryUrl, true))
}

export async function openStores(url: string): Promise<Stores> {
  return url.startsWith(SCHEME) ? openOn(await connect(url)) : openMongo(url)
}

export async function connect(url: string): Promise<MongoConnection> {
  return url.startsWith(SCHEME) ? serverAt(url).connect('a test') : connectMongo(url)
}

export async function connectRaw(url: string): Promise<RawMongo> {
  if (!url.startsWith(SCHEME)) return new MongoClient(url).connect()
  return { db: () => serverAt(url).db('a test'), close: async () => {} }
}

export function freshMemoryUrl(): string {
  return `${SCHEME}${randomUUID()}`
}

function serverAt(url: string): MemoryMongo {
  const atOnce: Step = async (_actor, _what, apply) => apply()
  const server = inMemory.get(url) ?? new MemoryMongo({ step: atOnce, commitsApart: true })
  inMemory.set(url, server)
  return server
}
