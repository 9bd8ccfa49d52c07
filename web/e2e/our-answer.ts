import type { Request } from '@playwright/test'
import { CALL_HEADER } from '@proctorpass/shared/call-name'
import type { WireError } from '@proctorpass/shared/errors'

/** For `route.fulfill`: an answer that the page takes for one of the server. */
export function ourAnswer(request: Request, json: unknown, status = 200) {
  return { status, json, headers: { [CALL_HEADER]: request.headers()[CALL_HEADER] ?? '' } }
}

export function ourError(request: Request, status: number, error: Pick<WireError, 'message' | 'code'>) {
  return ourAnswer(request, { ...error, requestId: 'r1' }, status)
}
