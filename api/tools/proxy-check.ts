import { randomBytes, randomInt } from 'node:crypto'
import { CALL_HEADER } from '@proctorpass/shared/call-name'
import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { Env } from '../src/env/env.ts'
import {
  PROBE_BYTES_MAX,
  PROBE_HEADER,
  PROBE_METHODS,
  PROBE_PATH,
  probeToken,
  type Seen,
} from '../src/http/probe-routes.ts'

type Finding = ['ok' | 'note' | 'WRONG', string]
type Method = (typeof PROBE_METHODS)[number]

/** A body of 12 MB from a slow line. */
const ANSWER_WITHIN_MS = 30_000
/** The server's first ping comes after 25 seconds. */
const PING_WITHIN_MS = 30_000
/** For documentation: no proxy has this address. */
const CLAIMED = '192.0.2.77'
const MB = 1_000_000
const SMALLER_BODIES = [8 * MB, 4 * MB, 2 * MB, MB, MB / 2, MB / 16]

interface Answer {
  /** 0: there was none. */
  status: number
  /** Whether the server gave it to this call. */
  isOurs: boolean
  /** Null: the server refused the probe, or did not answer it. */
  seen: Seen | null
}

type Probe = (
  method: Method,
  options?: { headers?: Record<string, string>; bytes?: number },
) => Promise<Answer>

/** What the proxy makes of requests: tested with requests that change nothing, through PUBLIC_URL. */
export async function checkProxy(env: Env): Promise<Finding[]> {
  const probe = openProbe(env)
  const [first, second] = [await probe('POST'), await probe('POST')]
  if (!first.isOurs) return [gatewayAnswers('POST', first)]
  if (first.seen === null)
    return [
      [
        'note',
        `the server refuses the doctor's probe (${first.status}), so the rest of the proxy is not judged: run the doctor with the JWT_SECRET and the release of the server`,
      ],
    ]
  if (!second.isOurs)
    return [
      [
        'WRONG',
        'the proxy answers POST from a cache, so messages are lost: let it cache no POST (nginx: proxy_cache_methods)',
      ],
    ]
  const found = [...forwardedFindings(env, first.seen, await probe('POST', { headers: claim }))]
  for (const method of PROBE_METHODS.filter((method) => method !== 'POST')) {
    const answer = await probe(method)
    if (!answer.isOurs) found.push(gatewayAnswers(method, answer))
  }
  return [...found, ...(await bodyFindings(probe))]
}

const claim = { 'x-forwarded-for': CLAIMED }

function gatewayAnswers(method: Method, { status }: Answer): Finding {
  const what = status === 0 ? 'no answer comes' : `a gateway answers ${status} in place of the server`
  return [
    'WRONG',
    `${method}: ${what}. Let the proxy pass on ${method} and the header ${CALL_HEADER}, both ways, and give no answers of its own`,
  ]
}

function forwardedFindings({ trustProxy, publicUrl }: Env, plain: Seen, claiming: Answer): Finding[] {
  const found: Finding[] = []
  if (trustProxy === false) {
    // On https there is always a proxy.
    if (plain.forwarded > 0 && publicUrl.startsWith('http:'))
      found.push([
        'WRONG',
        `TRUST_PROXY is not set, but a proxy is in front: all visitors share its address and its limits. Set it to ${plain.forwarded}`,
      ])
    return found
  }
  if (plain.forwarded === 0)
    found.push([
      'WRONG',
      "the proxy sends no address in X-Forwarded-For: all visitors share its address and its limits. Let it send the client's address (nginx: proxy_set_header X-Forwarded-For $remote_addr), or unset TRUST_PROXY if there is no proxy",
    ])
  else if (typeof trustProxy === 'number' && plain.forwarded > trustProxy)
    found.push([
      'WRONG',
      `X-Forwarded-For has ${plain.forwarded} addresses, so there are ${plain.forwarded} proxies: visitors share one proxy's address and its limits. Set TRUST_PROXY=${plain.forwarded}`,
    ])
  else if (claiming.seen?.address === CLAIMED)
    found.push([
      'WRONG',
      `a stranger can claim any address with X-Forwarded-For: set TRUST_PROXY to the number of proxies, which is ${plain.forwarded} here, or let the first one overwrite the header`,
    ])
  return found
}

async function bodyFindings(probe: Probe): Promise<Finding[]> {
  if ((await probe('POST', { bytes: PROBE_BYTES_MAX })).seen !== null) return []
  let passes = 0
  for (const bytes of SMALLER_BODIES) {
    if ((await probe('POST', { bytes })).seen === null) continue
    passes = bytes
    break
  }
  const passed =
    passes === 0
      ? 'none'
      : `one of ${passes / MB} MB, but none of ${passes === MB / 16 ? 0.5 : passes === 8 * MB ? 12 : (passes * 2) / MB} MB`
  return [
    [
      'WRONG',
      `the proxy limits bodies: it passes on ${passed}, so files are refused. Allow 12 MB (nginx: client_max_body_size 12m)`,
    ],
  ]
}

function openProbe({ publicUrl, apiPrefix, jwtSecret }: Env): Probe {
  return async (method, { headers = {}, bytes = 1_000 } = {}) => {
    const call = `${Date.now()}-${randomInt(1e9, 1e10)}`
    try {
      const answer = await fetch(`${publicUrl}${apiPrefix}${PROBE_PATH}`, {
        method,
        redirect: 'manual',
        headers: {
          ...headers,
          [CALL_HEADER]: call,
          [PROBE_HEADER]: probeToken(jwtSecret, Date.now()),
          'content-type': 'application/octet-stream',
        },
        body: Buffer.alloc(bytes),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const isOurs = answer.headers.get(CALL_HEADER) === call
      const seen = isOurs && answer.ok ? ((await answer.json()) as Seen) : null
      return { status: answer.status, isOurs, seen }
    } catch {
      return { status: 0, isOurs: false, seen: null }
    }
  }
}

/** Whether an idle socket stays open until the server's first ping. */
export async function checkIdleSocket({ publicUrl }: Env): Promise<Finding[]> {
  const socket = new WebSocket(`${publicUrl.replace(/^http/, 'ws')}/socket.io/?EIO=4&transport=websocket`)
  const from = performance.now()
  let timer: NodeJS.Timeout | undefined
  const cutAfterMs = await new Promise<number | null>((resolve) => {
    // Engine.IO: 0 opens, 2 is a ping. The server closes sockets that join nothing.
    socket.onmessage = ({ data }) => {
      if (String(data).startsWith('0'))
        socket.send(`40${VISITOR_NAMESPACE},${JSON.stringify({ clientId: randomBytes(10).toString('hex') })}`)
      if (data === '2') resolve(null)
    }
    socket.onclose = () => resolve(performance.now() - from)
    timer = setTimeout(() => resolve(null), PING_WITHIN_MS)
  })
  clearTimeout(timer)
  socket.onclose = null
  socket.close()
  if (cutAfterMs === null) return []
  return [
    [
      'note',
      `the proxy cuts idle sockets after ${Math.round(cutAfterMs / 1_000)} s, before the server pings (every 25 s): chats reconnect all the time. Allow more than 60 s (nginx: proxy_read_timeout 90s)`,
    ],
  ]
}
