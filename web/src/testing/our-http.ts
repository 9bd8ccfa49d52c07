import { ANY_CALL, CALL_HEADER } from '@proctorpass/shared/call-name'
import { http as anyHttp, type HttpResponseResolver } from 'msw'

type Method = 'all' | 'get' | 'post' | 'patch' | 'put' | 'delete'

/** Handlers that answer as our server does: each answer repeats the name of its call. */
export const http = Object.fromEntries(
  (['all', 'get', 'post', 'patch', 'put', 'delete'] as const).map((method) => [
    method,
    (path: string, resolve: HttpResponseResolver) =>
      anyHttp[method](path, async (info) => {
        const answer = await resolve(info)
        if (answer instanceof Response && answer.type !== 'error')
          answer.headers.set(CALL_HEADER, info.request.headers.get(CALL_HEADER) ?? ANY_CALL)
        return answer
      }),
  ]),
) as Pick<typeof anyHttp, Method>
