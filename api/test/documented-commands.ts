import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../src/installation.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAMS =
  /^([A-Z_]+=\S+ )?(npm|npx|docker|git|openssl|sudo|date|tar|sha256sum|[^/\s]+\/proctorpass)( |$)/

/** For documented-commands.test.ts, in this order: `FILE`, `NAME` and so on get their values there. */
export const IN_A_CHECKOUT = [
  'npm run admin -- create NAME',
  'npm run admin -- reset NAME',
  'npm run audit -- verify',
  'npm run audit -- verify 12000 HASH',
  'npm run admin -- disable NAME',
  'npm run reports -- rebuild',
  'npm run backup -- FILE',
  'npm run import -- --from chatwoot FILE --dry-run',
  'npm run import -- --from chatwoot FILE',
  'npm run import -- --from chatwoot FILE --undo',
  'npm run repair-times',
  'npm run doctor',
  'DATA_DIR=FOLDER npm run restore -- FILE',
]

/** A doctor that finds this machine's clock or disk wrong has run too. */
export function asRun(command: string): string {
  return command.endsWith(' doctor') ? `${command} || [ $? = 1 ]` : command
}

/** Servers in a checkout. */
export const STARTS = ['npm start', 'npm run dev']

/** On MongoDB. */
export const MIGRATE = 'npm run migrate -- --from sqlite --to mongodb'

/** For release.test.ts, in this order, in a folder with the release file, checksums and `.env`. */
export const IN_A_RELEASE = [
  `tar -xzf proctorpass-${VERSION}.tar.gz`,
  `proctorpass-${VERSION}/proctorpass --help`,
  'OLD/proctorpass --version',
  'OLD/proctorpass backup before-upgrade.backup',
  'sha256sum --check --ignore-missing SHA256SUMS',
  'tar -xzf NEW.tar.gz',
  'NEW/proctorpass doctor',
  'DATA_DIR=data-before OLD/proctorpass restore before-upgrade.backup',
  `proctorpass-${VERSION}/proctorpass backup FILE`,
]

/** For release.test.ts, in the release's own folder: also what containers run in it. */
export const IN_ITS_FOLDER = [
  './proctorpass admin reset admin',
  './proctorpass backup /backups/$(date +%F).backup',
]

/** Servers of a release. */
export const STARTS_OF_A_RELEASE = [`proctorpass-${VERSION}/proctorpass`, 'NEW/proctorpass', './proctorpass']

/** Run in documented-commands.test.ts as they are. */
export const ANYWHERE = [
  'openssl rand -base64 48',
  'date -u',
  'cp deploy/.env.example deploy/.env && chmod 600 deploy/.env',
]

/** Not run by the two tests, with the reason. */
const NOT_HERE: [RegExp, string][] = [
  [/^npm test$/, 'runs these tests'],
  [/^npm run test:all$/, 'is npm test with --all, for the night'],
  [/^npm run check$/, 'npm test runs the same checks: api/tools/quality.ts'],
  [/^npm run release$/, 'release.test.ts runs api/tools/release.ts'],
  [/^npm run bench( |$)/, 'takes half an hour'],
  [/^npm run measure$/, "takes some minutes, for times that are the machine's"],
  [/^npm run build$/, 'runs before these tests'],
  [/^npm run screenshots$/, 'changes the pictures of README.md'],
  [/^npm run test:faults$/, 'npm test runs the same programs without --long'],
  [/^npx playwright test /, 'npm test runs it without a title'],
  [/^git pull$/, 'needs another repository'],
  [/^docker (compose .*(up|build)|build|run|exec) /, 'needs a container engine'],
  [/^docker compose .* build$/, 'needs a container engine'],
  [/^sudo (cat|systemd-run) /, 'needs the systemd unit'],
]
/** Of such a command, what runs in the container is in `IN_ITS_FOLDER`. */
const IN_A_CONTAINER = /^docker compose .* node-1 (?=\.\/proctorpass )/

interface Documented {
  /** Each command once, with the document that has it first. */
  commands: Map<string, string>
  /** Lines such as `PUBLIC_URL=https://chat.example.com`, by block. */
  settings: string[]
}

/** The commands and settings in the blocks of shell commands of the operator's documents, and the commands in their sentences. */
export function readDocuments(): Documented {
  const commands = new Map<string, string>()
  const settings: string[] = []
  for (const document of ['README.md', 'docs/OPERATIONS.md', 'docs/UPGRADING.md']) {
    const text = readFileSync(join(ROOT, document), 'utf8')
    const add = (command: string) => commands.set(command, commands.get(command) ?? document)
    const sentences = text.replace(/^```(\w*)\n(.*?)^```$/gms, (_, language: string, block: string) => {
      if (language !== 'sh') return ''
      const lines = block
        .trim()
        .split('\n')
        .map((line) => line.replace(/\s+# .*/, '').trim())
      if (lines.every((line) => /^[A-Z_]+=('[^']*'|\S*)$/.test(line))) settings.push(lines.join('\n'))
      else for (const line of lines) add(line)
      return ''
    })
    for (const [, code = ''] of sentences.matchAll(/`([^`\n]+)`/g)) {
      if (PROGRAMS.test(code)) for (const command of variants(code)) add(command)
    }
  }
  return { commands, settings }
}

/** `create\|reset NAME`, as tables write it, is two commands. */
function variants(code: string): string[] {
  const choice = /\S+\\\|\S+/.exec(code)?.[0]
  return choice === undefined ? [code] : choice.split('\\|').map((one) => code.replace(choice, one))
}

/** Documented commands that no test runs, and entries above that no document has. */
export function gaps(): string[] {
  const run = [
    ...IN_A_CHECKOUT,
    ...STARTS,
    MIGRATE,
    ...ANYWHERE,
    ...IN_A_RELEASE,
    ...IN_ITS_FOLDER,
    ...STARTS_OF_A_RELEASE,
  ]
  const documented = [...readDocuments().commands].map(
    ([command, document]) => [command.replace(IN_A_CONTAINER, ''), document] as const,
  )
  // Named without what follows, or without its variables.
  const isRun = (command: string) =>
    run.some((one) => one === command || one.startsWith(`${command} -- `) || one.endsWith(` ${command}`)) ||
    NOT_HERE.some(([pattern]) => pattern.test(command))
  const isDocumented = (pattern: string | RegExp) =>
    documented.some(([command]) =>
      typeof pattern === 'string' ? command === pattern : pattern.test(command),
    )
  return [
    ...documented
      .filter(([command]) => !isRun(command))
      .map(([command, document]) => `${document}: no test runs ${command}`),
    ...[...run, ...NOT_HERE.map(([pattern]) => pattern)]
      .filter((pattern) => !isDocumented(pattern))
      .map((pattern) => `documented-commands.ts: no document has ${pattern}`),
  ]
}
