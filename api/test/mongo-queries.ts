import { type CommandStartedEvent, type Document, type IndexDescription, MongoClient } from 'mongodb'
import { afterAll } from 'vitest'

/** A query of one collection, by what its index must serve. */
export interface MongoQuery {
  command: string
  collection: string
  filter: Document
  sort: Record<string, number>
  hint: Record<string, number> | undefined
  limit: number
  /** The whole command, for a server that explains it. */
  sent: Document
}

type Index = Record<string, number>

/** Collects the queries of all stores that the file's tests open, each shape once. */
export function watchQueries(): MongoQuery[] {
  const seen = new Map<string, MongoQuery>()
  const queries: MongoQuery[] = []
  const connect = MongoClient.prototype.connect
  MongoClient.prototype.connect = function () {
    // Not the tests' own clients.
    if (this.options.appName !== 'proctorpass') return connect.call(this)
    // The driver reads it on connect. Its types accept it only in the constructor.
    Object.assign(this.options, { monitorCommands: true })
    this.on('commandStarted', (event) => {
      // Runs by hand, while no server uses the store.
      if (event.command.comment === 'repair-times') return
      for (const query of queriesIn(event)) {
        const { command, collection, filter, sort, hint } = query
        const shape = JSON.stringify([command, collection, shapeOf(filter), sort, hint])
        if (seen.has(shape)) continue
        seen.set(shape, query)
        queries.push(query)
      }
    })
    return connect.call(this)
  }
  afterAll(() => {
    MongoClient.prototype.connect = connect
  })
  return queries
}

function queriesIn({ commandName, command }: CommandStartedEvent): MongoQuery[] {
  const query = (
    collection: string,
    filter: Document,
    options: Document = {},
    sent = command,
  ): MongoQuery => ({
    command: commandName,
    collection,
    filter,
    sort: pairs(options.sort),
    hint: options.hint === undefined ? undefined : pairs(options.hint),
    limit: options.limit ?? 0,
    sent: bare(sent),
  })
  switch (commandName) {
    case 'distinct':
      // Walks the values of an index.
      return [query(command.distinct, command.query ?? {}, { hint: { [command.key]: 1 } })]
    case 'count':
      // Without a filter, the server answers the number that it keeps.
      return command.query === undefined ? [] : [query(command.count, command.query, command)]
    case 'find':
      return [query(command[commandName], command.filter ?? command.query ?? {}, command)]
    case 'findAndModify':
      return [query(command.findAndModify, command.query, command)]
    case 'aggregate': {
      const [first = {}, second = {}] = command.pipeline as Document[]
      const sort = second.$sort ?? first.$sort
      return [query(command.aggregate, first.$match ?? {}, { sort, hint: command.hint })]
    }
    case 'update':
      return command.updates.map((one: Document) =>
        query(command.update, one.q, one, { update: command.update, updates: [one] }),
      )
    case 'delete':
      return command.deletes.map((one: Document) =>
        query(command.delete, one.q, one, { delete: command.delete, deletes: [one] }),
      )
    default:
      return []
  }
}

/** The command without the fields that explain refuses. */
function bare(command: Document): Document {
  const around = ['lsid', 'txnNumber', 'readConcern', 'writeConcern', 'maxTimeMS']
  return Object.fromEntries(
    Object.entries(command).filter(([field]) => !field.startsWith('$') && !around.includes(field)),
  )
}

function pairs(order: unknown): Record<string, number> {
  return order instanceof Map ? Object.fromEntries(order) : ((order ?? {}) as Record<string, number>)
}

/** The fields and operators of a filter, without values. */
function shapeOf(filter: Document): unknown {
  return Object.entries(filter)
    .map(([field, value]) => [field, operatorsOf(value)])
    .sort()
}

function operatorsOf(value: unknown): string[] {
  const isOperators =
    typeof value === 'object' && value !== null && Object.keys(value).some((key) => key.startsWith('$'))
  return isOperators ? Object.keys(value).sort() : ['$eq']
}

/**
 * Whether an index serves the query: first the fields with equality, then those of the sort without equality, or else a
 * range. A scan of a sorted index needs a limit, and a count may scan the index of its hint.
 */
export function hasIndex(query: MongoQuery, declared: readonly IndexDescription[]): boolean {
  const indexes: Index[] = [{ _id: 1 }, ...declared.map(({ key }) => key as Index)]
  return indexes.some((index) => serves(index, query))
}

function serves(index: Index, { filter, sort, hint, limit }: MongoQuery): boolean {
  if (hint !== undefined && JSON.stringify(hint) !== JSON.stringify(index)) return false
  const operators = new Map(Object.entries(filter).map(([field, value]) => [field, operatorsOf(value)]))
  const isEqual = (field: string) =>
    operators.get(field)?.every((one) => one === '$eq' || one === '$in' || one === '$all') ?? false
  const isRange = (field: string) => operators.get(field)?.every((one) => /^\$[gl]te?$/.test(one)) ?? false

  const fields = Object.entries(index)
  let bound = 0
  while (bound < fields.length && isEqual(fields[bound]?.[0] ?? '')) bound += 1
  const rest = fields.slice(bound)
  const wanted = Object.entries(sort).filter(([field]) => !isEqual(field))
  if (wanted.length > 0) {
    const isServed = [1, -1].some((direction) =>
      wanted.every(([field, order], at) => rest[at]?.[0] === field && rest[at]?.[1] === order * direction),
    )
    return isServed && (bound > 0 || limit > 0 || isRange(wanted[0]?.[0] ?? ''))
  }
  if (bound > 0 || isRange(rest[0]?.[0] ?? '')) return true
  return hint !== undefined && Object.keys(filter).length === 0
}

/** The stages of the winning plan, by the server's names. */
export function stagesIn(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return []
  return Object.entries(plan).flatMap(([key, value]) =>
    key === 'rejectedPlans' ? [] : key === 'stage' ? [String(value)] : stagesIn(value),
  )
}
