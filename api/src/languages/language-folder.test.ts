import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryDir } from '../../test/server-process.ts'
import { createLanguageFolder } from './language-folder.ts'

let dir: ReturnType<typeof temporaryDir>
let folder: string
beforeEach(() => {
  dir = temporaryDir('languages')
  folder = join(dir.path, 'languages')
})
afterEach(() => dir.remove())

const write = (name: string, content: string | Buffer) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), content)
}
const messages = ({ problems }: { problems: readonly { message: string }[] }) =>
  problems.map(({ message }) => message)

it('reads nothing without a folder, and sees files that come, change, and go', async () => {
  const look = createLanguageFolder(dir.path)
  expect(await look()).toEqual({ texts: new Map(), problems: [] })
  write('de.json', '\ufeff{"view.send":"Senden"}')
  expect((await look()).texts).toEqual(new Map([['de', { 'view.send': 'Senden' }]]))
  write('de.json', '{"view.send":"Abschicken"}')
  expect((await look()).texts.get('de')).toEqual({ 'view.send': 'Abschicken' })
  rmSync(join(folder, 'de.json'))
  expect((await look()).texts.size).toBe(0)
})

it('ignores what it cannot use, with one sentence for each, and uses the rest', async () => {
  write('de.json', '{"view.send":"Senden","view.typing":"schreibt"}')
  write('en.json', Buffer.from([0x7b, 0xff, 0x7d]))
  write('es.json', '{"view.send":')
  write('fr.json', `${'['.repeat(30_000)}`)
  write('hi.json', '')
  write('it.json', `{"view.send":"${'a'.repeat(10 * 1024 * 1024)}"}`)
  write('ja.json', '["送信"]')
  write('ko.json', '{"__proto__":{"view.send":"x"},"view.send":"보내기"}')
  write('EN.json', '{}')
  write('../escape.txt', '')
  write('notes.txt', 'not a language')
  mkdirSync(join(folder, 'nl.json'))
  symlinkSync(join(folder, 'pl.json'), join(folder, 'pl.json'))
  execFileSync('mkfifo', [join(folder, 'th.json')])
  const state = await createLanguageFolder(dir.path)()
  expect(messages(state)).toEqual([
    'languages/EN.json: the file must be named by a canonical language tag, such as en.json.',
    'languages/de.json: view.typing must have exactly these placeholders: {name}.',
    'languages/en.json: the file is not valid JSON in UTF-8.',
    'languages/es.json: the file is not valid JSON in UTF-8.',
    'languages/fr.json: the file is not valid JSON in UTF-8.',
    'languages/hi.json: the file is not valid JSON in UTF-8.',
    'languages/it.json: the file is larger than 64 KB.',
    'languages/ja.json: the file must be one JSON object of keys and texts.',
    'languages/ko.json: __proto__ is not a key that this release knows.',
    'languages/nl.json: the file must be a regular file.',
    'languages/pl.json: the file cannot be read (ELOOP).',
    'languages/th.json: the file must be a regular file.',
  ])
  expect([...state.texts]).toEqual([
    ['de', { 'view.send': 'Senden' }],
    ['ja', {}],
    ['ko', { 'view.send': '보내기' }],
  ])
})

it('follows links to files, as mounted configurations have them', async () => {
  write('real.txt', '{"view.send":"Enviar"}')
  symlinkSync('real.txt', join(folder, 'es.json'))
  expect((await createLanguageFolder(dir.path)()).texts.get('es')).toEqual({ 'view.send': 'Enviar' })
})

it('says that the folder cannot be read', async () => {
  writeFileSync(folder, '')
  expect(messages(await createLanguageFolder(dir.path)())).toEqual(['languages cannot be read (ENOTDIR).'])
})
