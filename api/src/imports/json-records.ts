import { decodedFile, ImportProblem } from './decoded-file.ts'
import { JsonValueReader } from './json-value.ts'
import type { LeftOutList } from './left-out.ts'

/** A value in the file. `list` is the name of the list that holds it; empty outside of such a list. */
export interface JsonRecord {
  place: string
  list: string
  value: unknown
}

/** The most characters in one conversation. */
const RECORD_MAX = 32 * 1_024 * 1_024
/** The lists that REST answers and collected files put conversations and canned replies into. */
const LISTS = new Set(['conversations', 'payload', 'data', 'canned_responses', 'shortcuts', 'contacts'])
/** A first line with more characters is not taken for a line of JSON Lines. */
const FIRST_LINE_MAX = 8 * 1_024 * 1_024

/**
 * Reads a file of JSON or JSON Lines without holding more than one record: each element of a list that stands alone or
 * in one of the LISTS, and each other object.
 * @throws ImportProblem when the file is neither
 */
export async function* jsonRecords(file: string, leftOut: LeftOutList): AsyncIterable<JsonRecord> {
  let begin = ''
  let scanner: Scanner | undefined
  const choose = (): Scanner => {
    if (!/^\s*[[{]/.test(begin)) throw new ImportProblem(`${file} is not JSON.`)
    return isJsonLines(begin) ? lineScanner(leftOut) : documentScanner(leftOut)
  }
  for await (const text of decodedFile(file)) {
    if (scanner !== undefined) yield* scanner.scan(text)
    else {
      begin += text
      if (!isDecidable(begin)) continue
      scanner = choose()
      yield* scanner.scan(begin)
      begin = ''
    }
  }
  if (scanner === undefined) {
    scanner = choose()
    yield* scanner.scan(begin)
  }
  yield* scanner.end()
}

/** Returns whether the beginning shows if the file has one record in each line. */
function isDecidable(begin: string): boolean {
  const [, second] = firstLines(begin)
  return second !== undefined || begin.length > FIRST_LINE_MAX
}

/** Returns the first two whole lines that are not empty. */
function firstLines(begin: string): string[] {
  const lines: string[] = []
  for (let from = 0; lines.length < 2; ) {
    const to = begin.indexOf('\n', from)
    if (to < 0) break
    const line = begin.slice(from, to).trim()
    if (line !== '') lines.push(line)
    from = to + 1
  }
  return lines
}

function isJsonLines(begin: string): boolean {
  const [first, second] = firstLines(begin)
  if (first === undefined || !first.startsWith('{')) return false
  // One of the lines may be broken.
  return isJson(first) || (second?.startsWith('{') === true && isJson(second))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface Scanner {
  scan(text: string): Iterable<JsonRecord>
  end(): Iterable<JsonRecord>
}

function lineScanner(leftOut: LeftOutList): Scanner {
  let line = 0
  let rest: string[] = []
  let length = 0
  function* ended(): Iterable<JsonRecord> {
    line += 1
    const text = rest.join('').trim()
    const isTooLong = length > RECORD_MAX
    rest = []
    length = 0
    const place = `line ${line}`
    if (isTooLong) leftOut.add(place, 'The line is longer than 32 MB')
    else if (text !== '') {
      // A line can be a page with a list, too.
      const scanner = documentScanner(leftOut, place)
      yield* scanner.scan(text)
      yield* scanner.end()
    }
  }
  function add(text: string) {
    length += text.length
    if (length <= RECORD_MAX) rest.push(text)
  }
  return {
    *scan(text) {
      let from = 0
      for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
        add(text.slice(from, to))
        yield* ended()
        from = to + 1
      }
      add(text.slice(from))
    },
    *end() {
      yield* ended()
    },
  }
}

/** Where the scanner stands: directly in a list of records, or in an object that may have such lists. */
type Place = { kind: 'list'; name: string } | { kind: 'object'; key: string; state: 'key' | 'value' }

const SPACE = /\s/

/** Reads characters only as far as the records' borders need it. `JSON.parse` judges the records. */
function documentScanner(leftOut: LeftOutList, line?: string): Scanner {
  const stack: Place[] = []
  let count = 0
  /** The value that is being read. It is a key while `isKey`. */
  let reader: JsonValueReader | null = null
  let isKey = false
  /** The object at the top, without its lists' elements. */
  let object: string[] = []
  let objectLength = 0
  let hasLists = false

  const placeOf = () => line ?? `record ${count}`

  function* parsed(text: string | null, list: string): Iterable<JsonRecord> {
    if (text === null) {
      leftOut.add(placeOf(), 'It is larger than 32 MB')
      return
    }
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      leftOut.add(placeOf(), 'It is not valid JSON')
      return
    }
    yield { place: placeOf(), list, value }
  }

  function keep(text: string): void {
    objectLength += text.length
    if (objectLength <= RECORD_MAX) object.push(text)
  }

  function* step(text: string, from: number): Generator<JsonRecord, number> {
    const top = stack.at(-1)
    if (reader !== null) {
      const to = reader.read(text, from)
      if (!reader.isOver) return to
      const value = reader.value(RECORD_MAX)
      reader = null
      if (top?.kind !== 'object') yield* parsed(value, top?.name ?? '')
      else {
        keep(value ?? 'null')
        if (isKey) top.key = value !== null && isJson(value) ? String(JSON.parse(value)) : ''
        else top.state = 'key'
        isKey = false
      }
      return to
    }
    const character = text[from] as string
    if (SPACE.test(character)) return from + 1
    if (top?.kind === 'object') return yield* stepInObject(top, character, from)
    if (character === ',') return from + 1
    if (character === ']' && top !== undefined) {
      stack.pop()
      const outer = stack.at(-1)
      if (outer?.kind === 'object') {
        keep(']')
        outer.state = 'key'
      }
      return from + 1
    }
    if (top === undefined && character === '[') {
      stack.push({ kind: 'list', name: '' })
      return from + 1
    }
    count += 1
    if (top === undefined && character === '{') {
      stack.push({ kind: 'object', key: '', state: 'key' })
      object = ['{']
      objectLength = 1
      hasLists = false
      return from + 1
    }
    reader = new JsonValueReader()
    return from
  }

  function* stepInObject(
    top: Extract<Place, { kind: 'object' }>,
    character: string,
    from: number,
  ): Generator<JsonRecord, number> {
    if (character === '}') {
      stack.pop()
      keep('}')
      const outer = stack.at(-1)
      if (outer?.kind === 'object') outer.state = 'key'
      else if (!hasLists) yield* parsed(objectLength > RECORD_MAX ? null : object.join(''), '')
      return from + 1
    }
    if (character === ':') {
      top.state = 'value'
      keep(':')
      return from + 1
    }
    if (top.state === 'key') {
      if (character === '"') isKey = true
      else keep(character)
      if (!isKey) return from + 1
      reader = new JsonValueReader()
      return from
    }
    if (character === '[' && LISTS.has(top.key)) {
      hasLists = true
      keep('[')
      stack.push({ kind: 'list', name: top.key })
      return from + 1
    }
    if (character === '{' && top.key === 'data' && stack.length === 1) {
      keep('{')
      stack.push({ kind: 'object', key: '', state: 'key' })
      return from + 1
    }
    reader = new JsonValueReader()
    return from
  }

  return {
    *scan(text) {
      for (let from = 0; from < text.length; ) from = yield* step(text, from)
    },
    *end() {
      if (reader?.isNumber && stack.length === 0) yield* parsed(reader.value(RECORD_MAX), '')
      else if (reader !== null || stack.length > 0) {
        leftOut.add(line ?? 'the end of the file', 'It ends in the middle of a record')
      }
    },
  }
}
