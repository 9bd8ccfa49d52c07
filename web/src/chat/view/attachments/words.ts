import type { Words } from '../../language/language.ts'
import { files } from '../../words/en.ts?files'
import { useViewLanguage } from '../view-language.ts'

export function useAttachmentWords(): Words['files'] {
  return useViewLanguage().others?.files ?? files
}
