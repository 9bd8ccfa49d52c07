import { describe } from 'vitest'
import { hasImap } from './servers/imap-process.ts'

const canStartImap = await hasImap()

/** Tests that start a Dovecot. Skipped where none can be started, and the run reports it at its end. */
export function describeWithImap(name: string, tests: () => void): void {
  if (canStartImap) describe(name, tests)
  else describe.skip(`${name} (left out: there is no Dovecot)`, tests)
}
