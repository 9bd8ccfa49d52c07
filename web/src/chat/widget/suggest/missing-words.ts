import { foldText } from '@proctorpass/shared/fold'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import { createFinder, subjectTerms } from './find-pages.ts'

/**
 * Matches a word with at least two letters. In a script without spaces, it refuses a pair's single character, with
 * which another pair begins.
 */
const WORD = /^(?=..)[\p{L}\p{M}]+$/u
/**
 * Matches scripts whose pairs say nothing: those in which letters and marks spell words that Node's dictionaries know,
 * and Korean, whose words have spaces.
 */
const SPELLED = /[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}]/u

/**
 * The most frequent pairs in Chinese questions, which say nothing about their subject. The site's own texts have none
 * of them.
 */
const EMPTY_PAIRS = new Set(
  '你好 您好 请问 请帮 我想 想问 我的 我要 我在 可以 以吗 是否 怎么 么样 什么 谢谢 能不 不能 为什 没有 一下 如何'.split(
    ' ',
  ),
)

export const missingWords: ServerEntry['missingWords'] = (pages) => {
  const find = createFinder(pages)
  // The rules for words are loaded here, and not by each server that starts.
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  return (text) => {
    // The space says that the last word is complete.
    if (find(`${text} `).length > 0) return null
    const terms = subjectTerms(text).filter((term) => !SPELLED.test(term) && !EMPTY_PAIRS.has(term))
    const spelled = Array.from(segmenter.segment(foldText(text)), ({ segment }) => segment)
    return [...terms, ...new Set(spelled.filter((word) => SPELLED.test(word)))].filter((term) =>
      WORD.test(term),
    )
  }
}
