// Run by `npm version`: what stands under "Unreleased", or under the new version without a date, becomes the entry of the new
// version, which README.md then names.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../src/installation.ts'
import { root } from './steps.ts'

const file = join(root, 'CHANGELOG.md')
const readme = join(root, 'README.md')
const text = readFileSync(file, 'utf8')
const dated = text.replace(
  new RegExp(`^## (?:Unreleased|${VERSION.replaceAll('.', '\\.')})$`, 'm'),
  `## ${VERSION} (${new Date().toISOString().slice(0, 10)})`,
)
if (dated === text) throw new Error('CHANGELOG.md has no section "Unreleased": say there what changed.')
writeFileSync(file, dated)
writeFileSync(
  readme,
  readFileSync(readme, 'utf8').replace(/proctorpass-\d+\.\d+\.\d+/g, `proctorpass-${VERSION}`),
)
