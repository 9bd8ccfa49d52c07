import { paths } from '@proctorpass/shared/paths'
import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../../lib/api.ts'

export const NEEDS_MAIL =
  "Email isn't set up on this server. Its operator needs to set SMTP_URL and MAIL_FROM."

/** What `GET /config` says now. `chat.mail` is whether the server can send mails. */
export const liveConfigQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => callApi<LiveConfig>(paths.config, { signal }),
})
