import { DISPLAY_NAME_MAX, USER_NAME_MAX } from '../limits.ts'
import { CONTACT_FIELDS } from './contact.ts'
import { nameProblem } from './name.ts'
import { lineProblem, textField, trimmed } from './text.ts'

/** Matches names in one script. The scripts that people mix in one name come first. */
const ONE_SCRIPT = [
  /^[\P{L}\p{Script=Common}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Hangul}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Cyrillic}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Greek}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Arabic}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Hebrew}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Devanagari}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Bengali}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Thai}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Georgian}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Armenian}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Tamil}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Telugu}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Gujarati}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Gurmukhi}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Kannada}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Malayalam}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Sinhala}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Lao}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Khmer}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Myanmar}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Ethiopic}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Tibetan}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Mongolian}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Oriya}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Thaana}]+$/u,
  /^[\P{L}\p{Script=Common}\p{Script=Cherokee}]+$/u,
]

/**
 * A new admin's user name. It contains nothing invisible, and letters in only one script, so that no two names look the
 * same. Older accounts keep their names.
 */
export const USER_NAME_FIELD = textField(
  'Username is required',
  (text) => {
    const problem = lineProblem(text, USER_NAME_MAX)
    if (problem !== null) return problem
    if (/[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|[^\S ]| {2}/u.test(text)) {
      return 'Use visible characters, and single spaces'
    }
    return ONE_SCRIPT.some((script) => script.test(text)) ? null : 'Use letters from one script only'
  },
  (text) => trimmed(text.normalize('NFKC')),
)

/** What admins say about themselves. An empty value is refused, because null says that there is none. */
export const PROFILE_FIELDS = {
  displayName: textField('Name is required', (text) => nameProblem(text, DISPLAY_NAME_MAX)),
  email: CONTACT_FIELDS.email,
}
