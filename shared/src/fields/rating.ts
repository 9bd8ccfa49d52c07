import { RATING_WORDS_MAX } from '../limits.ts'
import { type Field, textProblem, trimmedLines } from './text.ts'

/** The words that a visitor adds to their score. They may be empty. */
export const RATING_WORDS_FIELD: Field = {
  clean: trimmedLines,
  problem: (words) => textProblem(trimmedLines(words), RATING_WORDS_MAX),
}
