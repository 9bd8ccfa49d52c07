/** A fault that a commit mended, with how to put it back and a run of the simulation that finds it. */
export interface KnownFault {
  /** The commit that mended it. */
  commit: string
  fault: string
  file: string
  /** Text of the file without the fault. It occurs once. */
  text: string
  /** The text in its place that has the fault. */
  faulty: string
  seed: number
  /** Null for `--webhooks`. */
  steps: number | null
  /** A part of the violation. */
  says: string
}

export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    commit: 'be854de0',
    fault: 'A browser takes what a gateway answers for the answer of the server.',
    file: 'web/src/lib/api.ts',
    text: 'return repeated === name || (!method && repeated === ANY_CALL)',
    faulty: 'return true',
    seed: 5,
    steps: 2_000,
    says: 'was answered with unauthorized',
  },
  {
    commit: '134f8570',
    fault:
      "A conversation's events are numbered in the order of their times, which come from several clocks.",
    file: 'api/src/storage/mongo/marked-events.ts',
    text: 'const at = Math.max(event.at, newest.get(clientId) ?? 0)',
    faulty: 'const { at } = event',
    seed: 10,
    steps: 3_000,
    says: 'tells of',
  },
  {
    commit: 'acf3ce6d',
    fault: 'An erase keeps the files that a node whose clock is ahead has stored.',
    file: 'api/src/storage/mongo/erased.ts',
    text: '_id: { $in: [...erasedFiles, ...sent] }, clientId: _id',
    faulty: 'clientId: _id, createdAt: { $gt: 0, $lte: Date.now() }',
    seed: 76,
    steps: 8_000,
    says: 'was answered with 200 %PDF',
  },
  {
    commit: '542d08d4',
    fault: 'The figures that are kept before an erase take its audit entry.',
    file: 'api/src/reports/deriver.ts',
    text: 'await withoutEntry(() => markQuartersOf(clientId)).catch',
    faulty: 'await markQuartersOf(clientId).catch',
    seed: 24,
    steps: 8_000,
    says: 'and the audit log has',
  },
  {
    commit: '05af4b1c',
    fault: 'An erase keeps the bytes of a file that a node left half stored or half removed.',
    file: 'api/src/storage/mongo/file-store.ts',
    text: 'if (isNamedOnce) await discardIncomplete(name)',
    faulty: '',
    seed: 16,
    steps: 8_000,
    says: 'attachments.chunks has words',
  },
  {
    commit: '91179f1c',
    fault: 'An endpoint is disabled because a success beside a failure removes when the failures began.',
    file: 'api/src/events/attempts.ts',
    text: 'now() - since >= FAILURES_END_MS',
    faulty: 'now() - endpoint.failingSince >= FAILURES_END_MS',
    seed: 1,
    steps: null,
    says: 'not everything is posted',
  },
  {
    commit: 'f04e9ed7',
    fault: 'A run removes a retry to which another run has left later events.',
    file: 'api/src/events/webhook-job.ts',
    text: 'next ? { event: next.number, attempts: 0, dueAt: now() } : null',
    faulty: 'null',
    seed: 3,
    steps: null,
    says: 'lost:',
  },
  {
    commit: 'c919c11e',
    fault:
      "A refusal moves another run's retry to a later event, so that what a replay asks for is forgotten.",
    file: 'api/src/storage/model/endpoints.ts',
    text: "const later = { _id, event: { '>': event } }",
    faulty: 'const later = { _id }',
    seed: 129,
    steps: null,
    says: 'not posted again',
  },
  {
    commit: '9b4d26d4',
    fault: 'A run removes a retry that holds events which another run has just left to it.',
    file: 'api/src/events/event-walk.ts',
    text: 'const changed = { ...retry, dueAt: retry.dueAt + 1 }',
    faulty: 'const changed = { ...retry }',
    seed: 39,
    steps: null,
    says: 'lost:',
  },
  {
    commit: 'be3368c5',
    fault: 'After a failover, a run misses the retry that holds a conversation back, and overtakes it.',
    file: 'api/src/storage/model/endpoints.ts',
    text: 'retries.find({ _id: keyOf(endpoint, subject) }, { fromPrimary: true })',
    faulty: 'retries.find({ _id: keyOf(endpoint, subject) })',
    seed: 15,
    steps: null,
    says: 'is taken before',
  },
  {
    commit: '1f8a6e8e',
    fault: 'A replay of webhooks ends early after a failover.',
    file: 'api/src/events/event-walk.ts',
    text: 'events.after(after, limit, to <= endpoint.after ? { fromPrimary: true } : {})',
    faulty: 'events.after(after, limit)',
    seed: 2_027,
    steps: null,
    says: 'not posted again',
  },
]
