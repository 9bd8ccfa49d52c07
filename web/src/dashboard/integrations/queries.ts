import { integrationPaths } from '@proctorpass/shared/integration-paths'
import type { EndpointList } from '@proctorpass/shared/schemas/endpoint'
import type { ApiKeyList } from '@proctorpass/shared/schemas/key'
import { useQuery } from '@tanstack/react-query'
import { callAsAdmin } from '../../lib/session.ts'

export const ENDPOINTS = ['endpoints']
export const KEYS = ['keys']

const REFETCH_MS = 10_000

export const useEndpoints = () =>
  useQuery({
    queryKey: ENDPOINTS,
    queryFn: ({ signal }) => callAsAdmin<EndpointList>(integrationPaths.endpoints, { signal }),
    // An endpoint's state follows its answers, so the list is read again regularly.
    refetchInterval: REFETCH_MS,
  })

export const useKeys = () =>
  useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => callAsAdmin<ApiKeyList>(integrationPaths.keys, { signal }),
  })
