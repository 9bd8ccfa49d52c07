import { expect, it } from 'vitest'
import { replacedWords, usesIn } from './glossary.ts'

const GLOSSARY = `
| term | meaning | not |
|---|---|---|
| emit | Sends a fact to \`sockets\`. | \`tell\`, say |
| notify | Calls a listener. | \`tell\` |
| semaphore | Bounds operations. | \`turn\` |
| store | The database. | |
`

it('takes the words in backticks of the last column', () => {
  expect(replacedWords(GLOSSARY)).toEqual(
    new Map([
      ['tell', ['emit', 'notify']],
      ['turn', ['semaphore']],
    ]),
  )
})

it.each([
  ['an identifier', 'a.ts', 'const x = 1\nawait socket.tellAdmins()'],
  ['a type', 'a.ts', '\ninterface Tell {}'],
  ['a private field', 'a.ts', 'class A {\n  #tell = 1\n}'],
  ['a component', 'a.tsx', 'export const a = (\n  <Tell />\n)'],
  ['a comment', 'a.mjs', '\n// Must tell them.'],
  ['a comment of several lines', 'a.ts', '/**\n * Tell them. */'],
  ['a document', 'a.md', '# Title\nNodes tell each other.'],
])('reports %s with its line', (_where, file, text) => {
  expect(usesIn(file, text, replacedWords(GLOSSARY))).toEqual([
    expect.stringMatching(new RegExp(`^${file}:2: "tell" isn't a term: use emit or notify$`, 'i')),
  ])
})

it.each([
  ['a string', 'a.ts', "log('tell')"],
  ['a longer word', 'a.ts', '// It returns.\nconst teller = 1'],
  ['code in a comment', 'a.ts', '// The stored field `tell`.'],
  ['code in a document', 'a.md', 'The field `tell`.\n```\ntell\n```'],
])('leaves %s alone', (_where, file, text) => {
  expect(usesIn(file, text, replacedWords(GLOSSARY))).toEqual([])
})
