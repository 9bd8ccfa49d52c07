import { paths } from '@proctorpass/shared/paths'
import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../../lib/api.ts'

/** What `GET /config` says now. `chat.mail` is whether the server can send mails. */
export const liveConfigQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => callApi<LiveConfig>(paths.config, { signal }),
})
