import {
  type ArrowFunctionExpression,
  type Expression,
  type Function as FunctionNode,
  parseSync,
  type Statement,
  Visitor,
} from 'oxc-parser'

/** The name of the global array that counts how often each block ran. */
export const COUNTERS = '__fuzzCounters'

/** Text to insert, and where. What is inserted later at one place stands closer to the code. */
interface Insertion {
  at: number
  text: string
  isEnd: boolean
}

/**
 * Adds a counter to each block of a source: each function's body, each branch (also one that the source does not
 * spell out), each loop's body, and each right side of `&&`, `||`, and `??`. Lines keep their numbers. `next` returns
 * the next free counter. Returns a source that cannot be parsed as it is.
 */
export function instrument(file: string, source: string, next: () => number): string {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) return source
  const insertions: Insertion[] = []
  const before = (at: number, text: string) => insertions.push({ at, text, isEnd: false })
  const after = (at: number, text: string) => insertions.push({ at, text, isEnd: true })
  const count = () => `${COUNTERS}[${next()}]++`

  const takeStatement = ({ type, start, end }: Statement) => {
    if (type === 'BlockStatement') return before(start + 1, `${count()};`)
    after(end, '}')
    return before(start, `{${count()};`)
  }
  const takeExpression = ({ start, end }: Expression) => {
    after(end, ')')
    before(start, `(${count()},`)
  }
  const takeFunction = ({ body }: FunctionNode | ArrowFunctionExpression) => {
    if (body === null) return
    if (body.type !== 'BlockStatement') return takeExpression(body as Expression)
    const directive = body.body.findLast((each) => 'directive' in each && each.directive)
    before(directive?.end ?? body.start + 1, `;${count()};`)
  }
  const takeBody = ({ body }: { body: Statement }) => void takeStatement(body)
  new Visitor({
    FunctionDeclaration: takeFunction,
    FunctionExpression: takeFunction,
    ArrowFunctionExpression: takeFunction,
    ForStatement: takeBody,
    ForInStatement: takeBody,
    ForOfStatement: takeBody,
    WhileStatement: takeBody,
    DoWhileStatement: takeBody,
    CatchClause: takeBody,
    IfStatement({ consequent, alternate, end }) {
      if (alternate) takeStatement(alternate)
      else after(end, ` else {${count()}}`)
      takeStatement(consequent)
    },
    SwitchCase({ consequent: [first] }) {
      if (first) before(first.start, `${count()};`)
    },
    ConditionalExpression({ consequent, alternate }) {
      takeExpression(consequent)
      takeExpression(alternate)
    },
    LogicalExpression: ({ right }) => takeExpression(right),
  }).visit(program)
  return inserted(source, insertions)
}

function inserted(source: string, insertions: Insertion[]): string {
  const ordered = insertions
    .map((each, index) => ({ ...each, order: each.isEnd ? -1 - index : index }))
    // An outer node was visited first, so its end stands behind the end of an inner one.
    .sort((a, b) => a.at - b.at || a.order - b.order)
  let text = ''
  let from = 0
  for (const { at, text: more } of ordered) {
    text += source.slice(from, at) + more
    from = at
  }
  return text + source.slice(from)
}

/** Returns the short strings of a source, which mutations use as words that its code may look for. */
export function wordsIn(source: string): string[] {
  return Array.from(source.matchAll(/(['"`])([^'"`\\\n$]{2,40})\1/g), ([, , word = '']) => word)
}
