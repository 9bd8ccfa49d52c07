import { AppError, changedMeanwhile, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { ENDPOINT_URL_FIELD } from '@proctorpass/shared/fields/endpoint'
import { INTEGRATION_NAME_FIELD } from '@proctorpass/shared/fields/integration'
import { ENDPOINTS_MAX } from '@proctorpass/shared/limits'
import type {
  DeliveryPage,
  Endpoint,
  EndpointChange,
  EndpointList,
  EndpointSecret,
  NewEndpoint,
  Queued,
  Replay,
} from '@proctorpass/shared/schemas/endpoint'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import { NotAllowed, refusePrivateAddress } from '../outbound/addresses.ts'
import { type AllowedHost, hostOf } from '../outbound/hosts.ts'
import { withEntry } from '../storage/model/audit.ts'
import { type DeliveryRecord, type EndpointRecord, TEST_EVENT } from '../storage/model/endpoints.ts'
import { newId } from '../storage/model/ids.ts'
import type { Storage } from '../storage/model/storage.ts'
import { newEndpointSecret } from './endpoint-secrets.ts'
import { type Events, tooOld } from './events.ts'
import { retryNow } from './retry-now.ts'

const OLD_SECRET_MS = 24 * 60 * 60 * 1_000
const DELIVERIES_PER_PAGE = 20

interface EndpointsDeps {
  storage: Pick<Storage, 'endpoints' | 'retries' | 'deliveries' | 'events'>
  events: Pick<Events, 'toEvent'>
  seal: Seal
  hosts: readonly AllowedHost[]
  /** Starts the posts that are due for the endpoint. */
  wake: (endpointId: string) => Promise<void>
  now: () => number
}

/**
 * The use cases of endpoints, for signed-in admins. Unknown IDs throw an AppError `not-found`.
 * @see docs/decisions/0069-webhooks.md
 */
export function createEndpoints({ storage, events, seal, hosts, wake, now }: EndpointsDeps) {
  const { endpoints, retries, deliveries } = storage

  async function found(id: string): Promise<EndpointRecord> {
    const endpoint = await endpoints.find(id)
    if (endpoint === null) throw new AppError('not-found', 'Endpoint not found.')
    return endpoint
  }

  /** Repeats a change until it applies. The change must not depend on other changes made in the meantime. */
  async function change(
    admin: AdminCaller,
    id: string,
    action: 'endpoint.changed' | 'endpoint-secret.created',
    of: (endpoint: EndpointRecord) => Partial<EndpointRecord>,
  ): Promise<EndpointRecord> {
    for (;;) {
      const endpoint = await found(id)
      const { version, name } = endpoint
      const set = { ...of(endpoint), version: version + 1 }
      const fields = Object.keys(set).filter((field) => field !== 'version')
      const details = action === 'endpoint.changed' ? { name, fields } : { name }
      const entry = auditEntry(admin, action, { target: id, details })
      if (await withEntry(entry, () => endpoints.update(id, { version }, set))) return { ...endpoint, ...set }
    }
  }

  function checkedUrl(url: string): string {
    // The URL is stored as the server connects to it, with the host in lower case and ASCII.
    const parsed = URL.parse(url.trim())
    const host = parsed === null ? null : hostOf(parsed.href, hosts)
    if (parsed === null || host === null) {
      throw fieldError(
        'url',
        parsed?.protocol === 'http:'
          ? 'Use HTTPS. Only hosts in WEBHOOK_HOSTS may use HTTP.'
          : 'Use a URL such as https://hooks.example.com/chat, without a username or a fragment',
      )
    }
    try {
      if (!host.own) refusePrivateAddress(parsed.href)
    } catch (error) {
      if (!(error instanceof NotAllowed)) throw error
      throw fieldError('url', 'This is a private address. The operator can allow its host in WEBHOOK_HOSTS.')
    }
    return parsed.href
  }

  function checked<Fields extends Pick<EndpointChange, 'name' | 'url' | 'types'>>(input: Fields) {
    const { name, url } = checkFields({ name: INTEGRATION_NAME_FIELD, url: ENDPOINT_URL_FIELD }, input)
    return {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url: checkedUrl(url) }),
      ...(input.types !== undefined && { types: [...new Set(input.types)] }),
    }
  }

  async function toDelivery(row: DeliveryRecord, notes: boolean) {
    const { event, type, attempt, status, error, ms, answer } = row
    const at = new Date(row.at).toISOString()
    const [record] = event === 0 ? [] : await storage.events.after(event - 1, 1)
    const posted = record?.number === event ? await events.toEvent(record, { notes }) : null
    const request = event === 0 ? ({ id: 0, type: 'test', at, data: {} } as const) : posted
    return { event, type, at, attempt, status, error, ms, answer, request }
  }

  return {
    async list(_admin: AdminCaller): Promise<EndpointList> {
      const all = (await endpoints.list()).map((endpoint) => toEndpoint(endpoint, now()))
      return { endpoints: all, count: all.length }
    },

    /**
     * Creates an endpoint. Only this answer contains the secret. Throws an AppError `invalid-input`, or `conflict` if
     * there are ENDPOINTS_MAX.
     */
    async create(admin: AdminCaller, input: NewEndpoint): Promise<EndpointSecret> {
      const { name = '', url = '', types = [] } = checked(input)
      const _id = newId(now())
      const { text, record } = newEndpointSecret(seal, _id, now())
      // This comes before the endpoint is stored, so that no endpoint exists without events if the process dies in
      // between.
      await storage.events.begin()
      const { last } = await storage.events.bounds()
      const endpoint: EndpointRecord = {
        ...{ _id, name, url, types, notes: input.notes ?? false, disabledBy: null, failingSince: null },
        ...{ secrets: [record], after: last, replayAfter: 0, replayTo: 0, createdAt: now(), version: 1 },
      }
      // A URL's path is often a secret.
      const details = { name, host: new URL(url).host }
      const entry = auditEntry(admin, 'endpoint.created', { target: _id, details })
      if (!(await withEntry(entry, () => endpoints.create(endpoint, ENDPOINTS_MAX)))) {
        throw new AppError(
          'conflict',
          `You have ${ENDPOINTS_MAX} endpoints, the maximum. Delete one that you no longer use.`,
        )
      }
      return { data: toEndpoint(endpoint, now()), secret: text }
    },

    /**
     * Changes an endpoint. Throws an AppError `conflict` with a detail for `version` if the endpoint has changed since.
     */
    async update(admin: AdminCaller, id: string, { version, ...input }: EndpointChange): Promise<Endpoint> {
      if (Object.values(input).every((value) => value === undefined)) {
        throw new AppError('invalid-input', 'There are no changes to save.')
      }
      const { notes, enabled } = input
      const fields = checked(input)
      const changed = await change(admin, id, 'endpoint.changed', (endpoint) => {
        if (version !== undefined && version !== endpoint.version) throw changedMeanwhile('this endpoint')
        return {
          ...fields,
          ...(notes !== undefined && { notes }),
          ...(enabled === true && { disabledBy: null, failingSince: null }),
          ...(enabled === false && { disabledBy: endpoint.disabledBy ?? 'admin' }),
        }
      })
      if (enabled === true || fields.url !== undefined) {
        await retryNow(retries, id, now)
        await wake(id)
      }
      return toEndpoint(changed, now())
    },

    /** Removes an endpoint for good. Events that waited for it are not posted. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const { name } = await found(id)
      const entry = auditEntry(admin, 'endpoint.deleted', { target: id, details: { name } })
      if (!(await withEntry(entry, () => endpoints.remove(id)))) {
        throw new AppError('not-found', 'Endpoint not found.')
      }
      // The job removes the endpoint's rows, including those of running posts.
      await wake(id)
    },

    /** Creates a new secret. The previous one also signs for a day; earlier ones no longer do. */
    async newSecret(admin: AdminCaller, id: string): Promise<EndpointSecret> {
      const { text, record } = newEndpointSecret(seal, id, now())
      const endpoint = await change(admin, id, 'endpoint-secret.created', ({ secrets: [newest] }) => ({
        secrets: [record, ...(newest === undefined ? [] : [{ ...newest, endsAt: now() + OLD_SECRET_MS }])],
      }))
      return { data: toEndpoint(endpoint, now()), secret: text }
    },

    /** Posts an event with the type `test` once, even to a disabled endpoint. */
    async test(_admin: AdminCaller, id: string): Promise<Queued> {
      await found(id)
      const subject = `test ${newId()}`
      // Event 0 comes before everything else.
      await retries.put({ endpoint: id, subject, event: TEST_EVENT, attempts: 0, dueAt: 0 })
      await wake(id)
      return { queued: 1 }
    },

    /** Posts the events from one ID to another again. Throws an AppError `too-old` if some are no longer kept. */
    async replay(admin: AdminCaller, id: string, { from, to }: Replay): Promise<Queued> {
      if (from > to) throw fieldError('to', "Use a number that isn't lower than the first one")
      const { first, last } = await storage.events.bounds()
      if (first > 1 && from < first) throw tooOld(first - 1)
      const end = Math.min(to, last)
      if (end < from) return { queued: 0 }
      const { disabledBy } = await found(id)
      if (disabledBy !== null) throw new AppError('conflict', 'This endpoint is disabled. Enable it first.')
      await change(admin, id, 'endpoint.changed', ({ replayAfter, replayTo }) =>
        // A running replay is widened, so that no requested event is left out.
        replayTo === 0
          ? { replayAfter: from - 1, replayTo: end }
          : { replayAfter: Math.min(replayAfter, from - 1), replayTo: Math.max(replayTo, end) },
      )
      await wake(id)
      return { queued: end - from + 1 }
    },

    async deliveries(_admin: AdminCaller, id: string, before: string | undefined): Promise<DeliveryPage> {
      const { notes } = await found(id)
      const rows = await deliveries.page(id, { before, limit: DELIVERIES_PER_PAGE + 1 })
      const shown = rows.slice(0, DELIVERIES_PER_PAGE)
      return {
        deliveries: await Promise.all(shown.map((row) => toDelivery(row, notes))),
        next: rows.length > shown.length ? (shown.at(-1)?._id ?? null) : null,
      }
    },
  }
}

export type Endpoints = ReturnType<typeof createEndpoints>

function toEndpoint(endpoint: EndpointRecord, at: number): Endpoint {
  const { _id, name, url, types, notes, disabledBy, failingSince, secrets, createdAt, version } = endpoint
  const failing = failingSince === null ? 'fine' : 'failing'
  const time = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString())
  const oldEndsAt = secrets[1]?.endsAt ?? 0
  return {
    ...{ _id, name, url, types: [...types], notes, disabledBy, version },
    state: disabledBy === null ? failing : 'disabled',
    failingSince: time(failingSince),
    oldSecretUntil: oldEndsAt > at ? time(oldEndsAt) : null,
    createdAt: new Date(createdAt).toISOString(),
  }
}
