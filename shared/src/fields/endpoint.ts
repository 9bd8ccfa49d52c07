import { ENDPOINT_URL_MAX } from '../limits.ts'
import { lineProblem, textField } from './text.ts'

/** An endpoint's URL. The server also judges its host. */
export const ENDPOINT_URL_FIELD = textField('URL is required', (url) =>
  /^https?:\/\//.test(url) ? lineProblem(url, ENDPOINT_URL_MAX) : 'Begin with https://',
)
