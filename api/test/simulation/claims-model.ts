import type { Model, Step } from './explore.ts'

/**
 * Claims as a model: a job that ends when nothing is left, and two nodes. A run does what there is to do when it reads. A
 * node may be stopped, go on, and die anywhere; one that is not stopped renews its claim in time, so only the claim of a
 * node that was stopped or has died is seen unchanged.
 * @see docs/EVENTS-PROTOCOL.md
 */
export interface ClaimRules {
  /** The job is scheduled after there is something to do. */
  schedulesAfter: boolean
  /** A claim finds the job free. */
  claimsFree: boolean
  /** A claim that is seen unchanged is taken over. */
  takesOver: boolean
  /** A takeover, a renewal, and the end of a run find the lease that they replace. */
  comparesAtTakeover: boolean
  comparesAtRenewal: boolean
  comparesAtEnd: boolean
  /** The end of a run keeps a job that was scheduled since it was claimed. */
  comparesRevision: boolean
  /** A run that gets another claim before it ends is followed by another run. */
  runsAgain: boolean
}

/** The product keeps all rules. */
export const CLAIM_RULES: ClaimRules = {
  ...{ schedulesAfter: true, claimsFree: true, takesOver: true, comparesAtTakeover: true },
  ...{ comparesAtRenewal: true, comparesAtEnd: true, comparesRevision: true, runsAgain: true },
}

/** How often something to do arrives. */
const ARRIVALS = 3

interface Job {
  isDue: boolean
  /** 0: free. Otherwise the claim, which each renewal changes. */
  lease: number
  revision: number
}

interface Node {
  at: 'idle' | 'sees it free' | 'sees a claim' | 'runs' | 'has done'
  lease: number
  revision: number
  isStopped: boolean
  /** Whether it was stopped since its run began. */
  wasStopped: boolean
}

interface State {
  job: Job | null
  arrivals: number
  /** Whether the second half of an arrival is missing. */
  isArriving: boolean
  isOpen: boolean
  nodes: readonly [Node, Node]
}

const IDLE: Node = { at: 'idle', lease: 0, revision: 0, isStopped: false, wasStopped: false }
/** No job has this revision. */
const NO_REVISION = -1

export function claimsModel(rules: ClaimRules): Model<State> {
  return {
    first: { job: null, arrivals: ARRIVALS, isArriving: false, isOpen: false, nodes: [IDLE, IDLE] },
    stepsOf: (state) => [...stepsOf(state, rules)],
    keyOf,
    violationOf({ nodes }) {
      const alone = nodes.filter((node) => isRunning(node) && !node.wasStopped)
      return alone.length > 1 ? 'two nodes run the job, and neither was stopped' : null
    },
    isDone: ({ job, arrivals, isArriving, isOpen, nodes }) =>
      job === null && arrivals === 0 && !isArriving && !isOpen && nodes.every(({ at }) => at === 'idle'),
  }
}

function isRunning({ at }: Node): boolean {
  return at === 'runs' || at === 'has done'
}

function* stepsOf(state: State, rules: ClaimRules): Iterable<Step<State>> {
  const { nodes, arrivals, isArriving } = state
  const open = { ...state, isOpen: true }
  if (isArriving) {
    const next = rules.schedulesAfter ? scheduled(state) : open
    yield [
      rules.schedulesAfter ? 'the job is scheduled' : 'something is to do',
      { ...next, isArriving: false },
    ]
  }
  for (const index of [0, 1] as const) {
    if (!nodes[index].isStopped) continue
    yield [`${nameOf(index)} goes on`, withNode(state, index, { ...nodes[index], isStopped: false })]
  }
  // Without faults, a run ends before the other node looks.
  for (const index of isRunning(nodes[1]) && !isRunning(nodes[0]) ? ([1, 0] as const) : ([0, 1] as const))
    if (!nodes[index].isStopped) yield* stepsOfNode(state, index, rules)
  if (arrivals > 0 && !isArriving) {
    const next = rules.schedulesAfter ? open : scheduled(state)
    const what = rules.schedulesAfter ? 'something is to do' : 'the job is scheduled'
    yield [what, { ...next, arrivals: arrivals - 1, isArriving: true }]
  }
  for (const index of [0, 1] as const) {
    if (nodes[index].at === 'idle') continue
    yield [`${nameOf(index)} dies`, withNode(state, index, IDLE)]
    if (nodes[index].isStopped) continue
    const stopped = { ...nodes[index], isStopped: true, wasStopped: true }
    yield [`${nameOf(index)} is stopped`, withNode(state, index, stopped)]
  }
}

/** What one node can do in `createJobs`. */
function* stepsOfNode(state: State, index: 0 | 1, rules: ClaimRules): Iterable<Step<State>> {
  const { job, nodes } = state
  const node = nodes[index]
  const name = nameOf(index)
  const go = (to: Partial<Node>, also: Partial<State> = {}) =>
    withNode({ ...state, ...also }, index, { ...node, ...to })
  const isHeld = job !== null && job.lease === node.lease
  const claim = (of: Job) => {
    const lease = leaseAfter(state)
    const to = { at: 'runs', lease, revision: of.revision, wasStopped: false } as const
    return go(to, { job: { ...of, lease } })
  }
  switch (node.at) {
    case 'idle':
      // `jobs.claim` and `jobs.claimed` list before they write.
      if (job?.lease === 0 && job.isDue) yield [`${name} sees the job free`, go({ at: 'sees it free' })]
      if (job !== null && job.lease > 0 && rules.takesOver && !isRenewed(job, nodes[1 - index] as Node))
        yield [`${name} has seen the claim unchanged`, go({ at: 'sees a claim', lease: job.lease })]
      return
    case 'sees it free': // `jobs.claim`
      if (job === null || (job.lease !== 0 && rules.claimsFree)) yield [`${name} cannot claim it`, go(IDLE)]
      else yield [`${name} claims the job`, claim(job)]
      return
    case 'sees a claim': // `jobs.takeOver`
      if (job === null || (!isHeld && rules.comparesAtTakeover))
        yield [`${name} cannot take it over`, go(IDLE)]
      else yield [`${name} takes the job over`, claim(job)]
      return
    case 'runs':
      yield [`${name} does what there is to do`, go({ at: 'has done' }, { isOpen: false })]
      yield* stepsOfClaim()
      return
    case 'has done': // `jobs.finish`
      if (job === null || (!isHeld && rules.comparesAtEnd)) yield [`${name} ends without a claim`, go(IDLE)]
      else if (job.revision === node.revision || !rules.comparesRevision)
        yield [`${name} removes the job`, go(IDLE, { job: null })]
      else
        yield [
          `${name} leaves the job, which is due again`,
          go(IDLE, { job: { ...job, isDue: true, lease: 0 } }),
        ]
      yield* stepsOfClaim()
  }

  function* stepsOfClaim(): Iterable<Step<State>> {
    if (job === null) return
    const lease = leaseAfter(state)
    // `jobs.renew`
    if (job.lease > 0 && (isHeld || !rules.comparesAtRenewal))
      yield [`${name} renews its claim`, go({ lease }, { job: { ...job, lease } })]
    // `run` in `createJobs`, when the job is claimed whose last run has lost its claim and has not ended
    if (job.lease === 0 && job.isDue) {
      const revision = rules.runsAgain ? NO_REVISION : node.revision
      yield [`${name} claims the job that it still runs`, go({ lease, revision }, { job: { ...job, lease } })]
    }
  }
}

/** A node that runs renews its claim, unless it is stopped. */
function isRenewed(job: Job, other: Node): boolean {
  return isRunning(other) && !other.isStopped && other.lease === job.lease
}

function scheduled(state: State): State {
  const { job } = state
  if (job === null) return { ...state, job: { isDue: true, lease: 0, revision: 0 } }
  return { ...state, job: { ...job, isDue: true, revision: job.revision + 1 } }
}

function leaseAfter({ job, nodes }: State): number {
  return 1 + Math.max(job?.lease ?? 0, ...nodes.map(({ lease }) => lease))
}

function nameOf(index: 0 | 1): string {
  return index === 0 ? 'A' : 'B'
}

function withNode(state: State, index: 0 | 1, node: Node): State {
  return { ...state, nodes: index === 0 ? [node, state.nodes[1]] : [state.nodes[0], node] }
}

/** A node's lease counts only by being the job's. */
function keyOf({ job, arrivals, isArriving, isOpen, nodes }: State): string {
  const keys = nodes.map(({ at, lease, revision, isStopped, wasStopped }) =>
    [at, lease === 0 ? 0 : lease === job?.lease ? 1 : 2, revision, isStopped, wasStopped].join(),
  )
  const jobKey = job === null ? '' : [job.isDue, job.lease > 0, job.revision].join()
  return [jobKey, arrivals, isArriving, isOpen, ...keys.sort()].join(';')
}
