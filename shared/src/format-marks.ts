const MARK = /[*_`[]|^(?:-|\d+\.) /m

/** Returns whether a text may be formatted. The parser is loaded only for such a text. */
export const mayHaveMarks = (text: string): boolean => MARK.test(text)
