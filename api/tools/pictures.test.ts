import { expect, it } from 'vitest'
import { hashesOf, outdatedPictures } from './pictures.ts'

const TAKEN = { 'menu.ts': 'Messages', 'tokens.css': '--green: green' }

it('accepts pictures that were taken after the last change', () => {
  expect(outdatedPictures(TAKEN, hashesOf(TAKEN))).toEqual([])
})

it('names each source that is newer than the pictures, and the command that takes them', () => {
  const changed = { ...TAKEN, 'tokens.css': '--green: blue', 'new.ts': '' }
  expect(outdatedPictures(changed, hashesOf(TAKEN))).toEqual([
    expect.stringMatching(/^tokens\.css is newer than .*`npm run screenshots`/),
    expect.stringMatching(/^new\.ts is newer than .*`npm run screenshots`/),
  ])
})
